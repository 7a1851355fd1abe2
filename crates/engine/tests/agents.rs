//! Several agents in one crawl: what they share, and when each of them stops.

mod small_web;

use scenthound_engine::{AgentFacts, AgentRules, AgentState, Budget, StopReason};
use scenthound_lab::{LabSettings, Run};

use small_web::{SmallWeb, crawl_as_agents, outcomes, plain, seconds, visits, with_budget};

/// Two rows of pages: `a/0` to `a/2`, and `b/0` to `b/9`, all about tea.
fn rows() -> SmallWeb {
    let row = |name: &str, length: usize| -> String {
        (0..length)
            .map(|n| match n + 1 < length {
                true => format!("{name}/{n}: tea -> {name}/{}\n", n + 1),
                false => format!("{name}/{n}: tea\n"),
            })
            .collect()
    };
    SmallWeb::draw(&(row("a", 3) + &row("b", 10)))
}

fn crawl(rules: AgentRules, settings: LabSettings) -> Run {
    let mut settings = settings;
    settings.crawl.agents = rules;
    crawl_as_agents(&rows(), &[&["a/0"], &["b/0"]], &settings)
}

fn pages(pages: u64) -> LabSettings {
    let budget = Budget {
        pages: Some(pages),
        ..Budget::default()
    };
    with_budget(budget, plain())
}

/// Pages and state of each agent at the end.
fn ends(run: &Run) -> Vec<(u64, AgentState)> {
    let end = |agent: &AgentFacts| (agent.pages, agent.state);
    run.agents.iter().map(end).collect()
}

#[test]
fn agents_take_turns() {
    let run = crawl(AgentRules::default(), pages(6));
    assert_eq!(visits(&run), ["a/0", "b/0", "a/1", "b/1", "a/2", "b/2"]);
}

#[test]
fn every_agent_works_until_nothing_is_left_for_it() {
    let run = crawl(AgentRules::default(), plain());
    let done = AgentState::NothingLeft;
    assert_eq!(ends(&run), [(3, done), (10, done)]);
    assert_eq!(run.stopped, Some(StopReason::Exhausted));
}

#[test]
fn a_page_that_two_agents_found_is_fetched_once() {
    let web = SmallWeb::draw(
        "a/0: x -> both/1 a/1
         b/0: x -> both/1 a/1
         both/1: x -> a/0 b/0 both/2
         a/1: x
         both/2: x",
    );
    let run = crawl_as_agents(&web, &[&["a/0"], &["b/0"]], &plain());
    let mut seen = visits(&run);
    seen.sort();
    assert_eq!(seen, ["a/0", "a/1", "b/0", "both/1", "both/2"]);
    let pages: u64 = run.agents.iter().map(|agent| agent.pages).sum();
    assert_eq!(pages, 5);
}

#[test]
fn a_seed_of_two_agents_is_fetched_once() {
    let web = SmallWeb::draw("a/0: x -> a/1\na/1: x");
    let run = crawl_as_agents(&web, &[&["a/0"], &["a/0"]], &plain());
    assert_eq!(visits(&run), ["a/0", "a/1"]);
    assert_eq!(outcomes(&run, "a/0"), ["ok"]);
}

#[test]
fn the_page_budget_is_shared_out_and_the_first_agents_get_the_rest() {
    let run = crawl(AgentRules::default(), pages(5));
    assert_eq!(
        ends(&run),
        [(3, AgentState::ShareSpent), (2, AgentState::ShareSpent)]
    );
    assert_eq!(run.stopped, Some(StopReason::Pages));
}

#[test]
fn what_an_agent_leaves_of_its_share_is_left_unless_it_is_passed_on() {
    let run = crawl(AgentRules::default(), pages(10));
    assert_eq!(
        ends(&run),
        [(3, AgentState::NothingLeft), (5, AgentState::ShareSpent)]
    );
    assert_eq!(run.stopped, Some(StopReason::Shares));

    let passing_on = AgentRules {
        redistribute: true,
        ..AgentRules::default()
    };
    let run = crawl(passing_on, pages(10));
    let pages: Vec<u64> = run.agents.iter().map(|agent| agent.pages).collect();
    assert_eq!(pages, [3, 7]);
    assert_eq!(run.stopped, Some(StopReason::Pages));
}

#[test]
fn an_agent_that_has_met_its_goal_stops_and_the_others_go_on() {
    let goal = AgentRules {
        goal: Some(4),
        ..AgentRules::default()
    };
    let run = crawl(goal, plain());
    assert_eq!(
        ends(&run),
        [(3, AgentState::NothingLeft), (4, AgentState::GoalMet)]
    );
    assert_eq!(run.stopped, Some(StopReason::Goals));
    assert_eq!(run.waiting, 1, "b/4 was found and left");
}

#[test]
fn only_relevant_pages_count_towards_the_goal() {
    let web = SmallWeb::draw(
        "a/0: cars -> a/1
         a/1: tea  -> a/2
         a/2: cars -> a/3
         a/3: tea  -> a/4
         a/4: tea",
    );
    let mut settings = plain();
    settings.crawl.agents.goal = Some(2);
    let run = crawl_as_agents(&web, &[&["a/0"], &[]], &settings);
    assert_eq!(visits(&run), ["a/0", "a/1", "a/2", "a/3"]);
}

#[test]
fn an_agent_has_no_more_requests_out_than_it_may() {
    let web = "
a/0: x -> h1/1 h2/1 h3/1
h1/1: x
h2/1: x
h3/1: x
";
    let taking = |requests| {
        let mut settings = LabSettings {
            workers: 4,
            latency: seconds(1),
            ..plain()
        };
        settings.crawl.agents.requests = requests;
        crawl_as_agents(&SmallWeb::draw(web), &[&["a/0"], &[]], &settings).virtual_time
    };
    assert_eq!(taking(None), seconds(2));
    assert_eq!(taking(Some(2)), seconds(3));
    assert_eq!(taking(Some(1)), seconds(4));
}

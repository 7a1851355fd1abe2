//! What every frontier must do, as tests that each implementation runs.
//!
//! An implementation provides a [`Harness`] and calls [`frontier_contract!`] (and [`restart_contract!`] if it
//! outlives its process) in a file of its `tests/`. Every fact below becomes a test there. Each named fact shows one
//! rule on a small web written out in the test. The random ones run long mixed sequences and compare each step with a
//! slow model that finds everything by linear search.
//!
//! Deliberately absent: a frontier, and sleeping. Time is a number that the suite advances itself.

// This is a test suite: it reports by panicking, even outside `cfg(test)`, where the lints cannot see that.
#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod agents;
pub mod bounds;
pub mod cash;
pub mod epochs;
pub mod host_policy;
mod model;
pub mod order;
pub mod random;
pub mod recall;
pub mod restarts;
mod stage;
pub mod updates;

use scenthound_frontier::{Frontier, HostPolicy};
use scenthound_types::{Keyring, Timestamp};

pub use crate::stage::{Stage, url};

/// How the suite accesses one implementation.
pub trait Harness: Sized {
    /// The implementation.
    type F: Frontier;

    /// Whether a restart brings back what was committed. If not, the suite never restarts it.
    const SURVIVES: bool;

    /// How many random sequences to run.
    const CASES: u32;

    /// An empty frontier.
    fn fresh(policy: HostPolicy, keyring: Keyring) -> Self;

    /// The frontier.
    fn frontier(&mut self) -> &mut Self::F;

    /// Closes the frontier without a commit and opens it again.
    fn restart(&mut self, now: Timestamp);
}

/// Generates a test for every fact, for one [`Harness`].
#[macro_export]
macro_rules! frontier_contract {
    ($harness:ty) => {
        $crate::facts!($harness, order: [
            the_best_url_comes_first_whatever_its_host,
            class_then_score_then_tie_then_age_decide,
            a_url_is_leased_once,
            taking_many_serves_several_hosts_at_once,
            seeds_already_known_keep_their_place_and_are_marked,
            a_retry_keeps_its_place_and_counts_the_attempt,
            a_handed_back_lease_waits_again_and_counts_nothing,
            a_redirect_takes_over_parent_depth_priority_age_and_seed_mark,
            depth_within_a_site_counts_from_where_the_crawl_entered_it,
            a_redirect_to_a_waiting_url_merges,
            a_link_to_a_url_that_moved_leads_to_where_it_moved,
            a_redirect_loop_ends,
            a_drawn_list_is_finished_before_anything_else,
            a_drawn_list_takes_the_best_of_resting_hosts_too,
            a_drawn_list_whose_hosts_are_full_blocks_nothing,
            asking_for_none_gives_none,
            what_a_drawn_url_gains_is_kept_for_later,
            a_revisit_is_drawn_with_the_next_list,
            a_settled_lease_cannot_be_settled_again,
            looking_up_tells_where_a_url_stands,
            standings_answer_in_the_order_asked,
            notes_are_found_by_prefix,
        ]);
        $crate::facts!($harness, host_policy: [
            one_request_per_host_at_a_time,
            as_many_requests_per_host_as_allowed,
            a_host_rests_after_each_request,
            a_host_that_was_not_asked_needs_no_rest,
            a_longer_crawl_delay_is_obeyed,
            a_shorter_crawl_delay_changes_nothing,
            an_absurd_crawl_delay_is_cut,
            a_robots_txt_that_redirects_waits_for_the_other_host,
            a_robots_txt_that_is_another_hosts_own_is_valid_for_both,
            retry_after_is_obeyed_up_to_the_limit,
            failures_in_a_row_double_the_rest_up_to_the_limit,
            a_good_response_resets_the_failures,
            a_good_response_does_not_cut_short_another_rest,
            a_handed_back_address_rests_until_the_given_time,
            robots_come_first_and_again_when_stale,
            robots_are_requested_again_until_rules_arrive,
            a_host_gives_no_more_pages_than_allowed,
            redirects_do_not_count_as_pages_of_a_host,
            sitemaps_are_leased_as_such_and_are_nobodys_parent,
            requisites_wait_in_a_stack_of_their_own,
            done_blocked_and_waiting_are_told_apart,
        ]);
        $crate::facts!($harness, updates: [
            keep_leaves_the_first_rank,
            replace_counts_the_new_rank,
            max_counts_the_better_rank,
            add_sums_the_scores,
            add_gathers_on_leased_and_fetched_urls_and_settling_takes_only_what_was_taken,
            raising_siblings_reaches_the_first_parents_children,
            raising_by_all_parents_reaches_every_linking_page,
            a_raise_never_lowers,
            a_raise_not_above_the_last_is_nothing,
            a_replacing_raise_lowers_too,
            no_more_parents_are_kept_than_allowed,
            a_page_fetched_twice_is_one_parent,
            a_redirect_target_inherits_all_parents,
            a_raise_leaves_ties_alone,
            a_url_is_raised_by_itself,
            what_missed_a_raise_is_reached_by_the_next,
            a_redirect_right_after_its_siblings_is_raised_once,
            retying_counts_the_visited_children_of_the_first_parent,
            the_richest_fetched_url_is_fetched_again,
            a_failed_revisit_is_tried_again,
            absurd_scores_stay_in_order,
        ]);
        $crate::facts!($harness, recall: [
            a_recalled_url_waits_for_nobody,
            a_crawl_repeated_by_recalls_ends_in_the_same_order,
            a_url_nobody_offered_is_brought_in,
            gone_urls_come_back_to_be_leased,
            a_fetched_url_is_recalled_as_a_revisit,
            rules_and_sitemaps_are_recalled_as_such,
            a_drawn_url_is_recalled_from_its_list,
        ]);
        $crate::facts!($harness, agents: [
            each_agent_has_an_order_of_its_own,
            a_url_waiting_in_two_stacks_is_leased_once,
            a_handed_back_or_retried_url_is_in_both_stacks_again,
            politeness_is_shared,
            what_is_found_belongs_to_the_agent_that_fetched,
            offers_merge_with_the_agents_own,
            updates_reach_only_the_agents_own_stack,
            a_redirect_target_keeps_the_agent,
            a_locked_url_is_neither_added_nor_updated,
            only_classes_asked_for_are_served,
            a_drawn_list_is_the_first_agents,
            cash_of_several_agents_is_kept,
            an_agent_too_many_is_refused,
        ]);
        $crate::facts!($harness, epochs: [
            evidence_is_kept_while_a_url_waits,
            what_surfaces_stale_is_scored_before_it_is_leased,
            an_epoch_is_processed_in_batches,
            the_oldest_url_can_be_leased_instead_of_the_best,
            the_oldest_url_waits_for_its_host,
            a_note_is_kept_until_the_lease_ends,
            a_link_is_shown_with_its_evidence,
        ]);
        $crate::facts!($harness, bounds: [
            a_url_that_waited_too_long_is_dropped_and_may_enter_again,
            a_url_is_dropped_after_so_many_pages,
            seeds_and_leased_urls_do_not_expire,
            the_worst_are_dropped_where_too_many_wait,
            a_url_expires_in_one_stack_and_stays_in_another,
            a_url_whose_target_was_dropped_may_enter_again,
        ]);
        $crate::facts!($harness, cash: [cash_is_neither_made_nor_lost, cash_does_not_fade_along_a_path]);
        $crate::facts!($harness, random: [a_frontier_does_what_a_plain_list_would]);
    };
}

/// Generates a test for every fact about restarts, for one [`Harness`].
#[macro_export]
macro_rules! restart_contract {
    ($harness:ty) => {
        $crate::facts!($harness, restarts: [
            what_was_committed_is_there,
            what_was_not_committed_never_was,
            leases_end_with_the_process,
            a_drawn_list_goes_on_in_its_order,
            an_epoch_goes_on_where_it_stopped,
            every_host_rests_one_delay_on_opening,
            backoff_and_rules_survive,
            ages_and_attempts_survive,
            children_are_found_again,
            raises_and_parents_survive,
            a_revisit_asked_for_is_still_due,
            a_second_commit_replaces_the_first,
            evidence_survives_a_restart,
            new_ranks_survive_once_they_are_kept,
            what_was_dropped_stays_dropped,
            claims_survive,
        ]);
    };
}

/// Generates a test for each named fact of one module.
#[doc(hidden)]
#[macro_export]
macro_rules! facts {
    ($harness:ty, $module:ident: [$($fact:ident),* $(,)?]) => {
        mod $module {
            use super::*;
            $(
                #[test]
                fn $fact() {
                    $crate::$module::$fact::<$harness>();
                }
            )*
        }
    };
}

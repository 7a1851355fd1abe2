"""Clicks through every view of a dashboard in Chromium, and checks each with axe-core.

    python dashboard.py URL CHROMIUM            check
    python dashboard.py URL CHROMIUM --empty    check a crawl that has read nothing, and what is seen while answers are on their way
    python dashboard.py URL CHROMIUM --shots DIR  take the pictures of docs/dashboard.md

The crawl behind the first should be running, and its titles hostile. Prints one line per fault and fails if there is any.
"""

import sys

from axe_playwright_python.sync_playwright import Axe
from openapi_spec_validator import validate
from playwright.sync_api import sync_playwright

VIEWS = ["Overview", "Pages", "Map", "Steering", "Reports", "API"]
SIZES = [(1400, 900), (390, 844)]
faults = []


def fault(text):
    faults.append(text)
    print(text, flush=True)


def check(page, where):
    """No rule of axe is broken, nothing sticks out sideways, and nothing of a page has run."""
    for violation in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]:
        nodes = [" ".join(str(part) for part in node["target"]) for node in violation["nodes"][:3]]
        details = violation["nodes"][0].get("failureSummary", "").replace("\n", " ")[:200]
        fault(f"{where}: axe {violation['id']}: {violation['help']} ({'; '.join(nodes)}) {details}")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        fault(f"{where}: {wide} px stick out")
    if "\u202e" in page.inner_text("body"):
        fault(f"{where}: text can be turned around")
    if page.evaluate("typeof window.pwned") != "undefined":
        fault(f"{where}: a hostile title has run")


def open_page(browser, url, theme, size):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    name = f"{theme} {size[0]}"
    page.on("console", lambda message: fault(f"{name}: console: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: fault(f"{name}: {error}"))
    page.on("dialog", lambda dialog: (fault(f"{name}: a dialog: {dialog.message}"), dialog.dismiss()))
    own = url.split("#")[0]
    page.on("request", lambda request: None if request.url.startswith((own, "blob:", "data:")) else fault(f"{name}: asks {request.url}"))
    page.goto(url)
    return context, page, name


def go(page, view):
    page.get_by_role("link", name=view, exact=True).click()
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_timeout(400)


def click_through(browser, url, theme, size):
    context, page, name = open_page(browser, url, theme, size)
    go(page, "Overview")
    page.get_by_text("Pages tried", exact=True).wait_for()
    before = page.locator(".figures dd").first.inner_text()
    check(page, f"{name} overview")
    page.get_by_text("Show the numbers").first.click()

    go(page, "Pages")
    page.locator(".results .title").first.wait_for()
    check(page, f"{name} pages")
    page.get_by_label("Search the text of pages").fill("house")
    page.get_by_role("button", name="Search").click()
    page.locator(".results mark").first.wait_for()
    check(page, f"{name} search")
    page.get_by_role("button", name="Clear").click()
    page.wait_for_timeout(300)
    page.locator(".results .title").first.click()
    page.get_by_role("tab", name="Why").wait_for()
    check(page, f"{name} why")
    for tab in ["Path", "Text", "Near-duplicates", "Record"]:
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(300)
        check(page, f"{name} {tab}")
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="hidden")

    go(page, "Map")
    page.locator("canvas").wait_for()
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Zoom in").click()
    page.locator("canvas").focus()
    for key in ["ArrowLeft", "ArrowUp", "+", "-", "0"]:
        page.keyboard.press(key)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -200)
    check(page, f"{name} map")

    go(page, "Steering")
    page.locator(".label-text").wait_for()
    page.wait_for_timeout(500)
    check(page, f"{name} steering")
    title = page.locator(".label-card h3").first.inner_text()
    page.keyboard.press("r")
    page.wait_for_function("title => document.querySelector('.label-card h3').textContent !== title", arg=title)
    page.wait_for_timeout(200)
    page.keyboard.press("n")
    page.wait_for_timeout(500)
    page.keyboard.press("u")
    page.wait_for_timeout(500)
    page.get_by_label("Name of a host").fill("blocked.example.org")
    page.get_by_role("button", name="Block", exact=True).click()
    page.get_by_role("button", name="Release blocked.example.org", exact=True).wait_for()
    check(page, f"{name} blocked")
    page.get_by_role("button", name="Release blocked.example.org", exact=True).click()
    page.get_by_role("button", name="Release blocked.example.org", exact=True).wait_for(state="hidden")
    run = page.get_by_role("button", name="Pause", exact=True)
    if run.count():
        run.first.click()
        page.get_by_role("button", name="Resume", exact=True).first.wait_for()
        page.get_by_role("button", name="Resume", exact=True).first.click()
        page.get_by_role("button", name="Pause", exact=True).first.wait_for()
    else:
        fault(f"{name}: the crawl is not running")

    page.get_by_role("button", name="Suggest words").click()
    page.get_by_label("A word or phrase of your own").fill("lantern")
    page.get_by_role("button", name="Add", exact=True).last.click()
    page.get_by_role("button", name="Drop lantern", exact=True).wait_for()
    page.wait_for_timeout(500)
    check(page, f"{name} words")
    page.get_by_role("button", name="Drop lantern", exact=True).click()
    page.get_by_role("button", name="Add lantern", exact=True).wait_for()
    check(page, f"{name} dropped")
    # Leave it as it was, for whoever comes next.
    asked = page.locator(".journal li:not(.undone)", has_text="lantern")
    for left in [1, 0]:
        asked.first.get_by_role("button").click()
        asked.nth(left).wait_for(state="hidden")
    page.get_by_role("button", name="lantern").first.wait_for(state="hidden")

    go(page, "Reports")
    page.get_by_role("button", name="compared.json").click()
    page.get_by_role("heading", name="Strategies compared").wait_for()
    page.get_by_role("img", name="Relevant pages found").wait_for()
    check(page, f"{name} results of the lab")
    page.get_by_role("button", name="report.html").click()
    page.frame_locator("iframe").get_by_role("heading", name="Strategies compared").wait_for()
    check(page, f"{name} reports")
    go(page, "API")
    page.get_by_text("/api/v1/crawls", exact=True).wait_for()
    check(page, f"{name} api")

    validate(page.request.get(url.split("#")[0] + "api/v1/openapi.json").json())

    # The figures move by themselves while the crawl runs.
    go(page, "Overview")
    page.wait_for_function("before => document.querySelector('.figures dd')?.firstChild.textContent !== before", arg=before.split("\n")[0])
    # Everything again with the keyboard alone.
    page.keyboard.press("2")
    page.get_by_role("heading", name="Pages", level=1).wait_for()
    page.keyboard.press("/")
    page.wait_for_timeout(200)
    if page.evaluate("document.activeElement.id") != "search":
        fault(f"{name}: / does not lead to the search")
    context.close()


# What each view says when there is nothing to show.
NOTHING = {
    "Overview": ["No page has been tried yet.", "No page has been read yet."],
    "Pages": ["No page has been read yet."],
    "Map": ["No page has been read yet.", "No page is relevant so far."],
    "Steering": ["There is no page to label: none has been read.", "Nothing has been asked of this crawl."],
    "Reports": [],
    "API": [],
}


def nothing_there(browser, url, theme, size):
    """Every view of a crawl without pages says so in words, and draws no numbers that nobody measured."""
    context, page, name = open_page(browser, url, theme, size)
    for view, texts in NOTHING.items():
        go(page, view)
        for text in texts:
            page.get_by_text(text, exact=True).first.wait_for()
        check(page, f"{name} {view} without pages")
        said = page.inner_text("body")
        for wrong in ["NaN", "undefined", "Infinity", "e-1"]:
            if wrong in said:
                fault(f"{name} {view} without pages: {wrong}")
        narrow = page.evaluate("[...document.querySelectorAll('.empty')].filter(text => text.offsetWidth && text.offsetWidth < 150).length")
        if narrow:
            fault(f"{name} {view} without pages: a sentence in a column too narrow for it")
    context.close()


def on_its_way(browser, url):
    """While an answer is on its way, every view shows that something is to come, and nothing of that stays."""
    context, page, name = open_page(browser, url, "light", SIZES[0])
    held, is_holding = [], False
    page.route("**/api/v1/**", lambda route: held.append(route) if is_holding else route.continue_())
    for view in VIEWS:
        is_holding = True
        page.get_by_role("link", name=view, exact=True).click()
        waiting = page.locator("main .skeleton, main :text('Loading…')").first
        try:
            waiting.wait_for(timeout=5_000)
            check(page, f"{name} {view} on its way")
        except Exception:
            fault(f"{name} {view}: nothing shows that it is loading")
        is_holding = False
        while held:
            held.pop().continue_()
        page.get_by_role("heading", level=1).first.wait_for()
        page.wait_for_function("() => !document.querySelector('main .skeleton')")
    context.close()


def shots(browser, url, folder):
    """The pictures of the manual. JPEG keeps them small."""
    wanted = [
        ("overview", "Overview", "light", (1280, 860)),
        ("pages", "Pages", "light", (1280, 760)),
        ("map", "Map", "dark", (1280, 800)),
        ("steering", "Steering", "light", (1280, 860)),
        ("narrow", "Overview", "dark", (390, 844)),
    ]
    for name, view, theme, size in wanted:
        context, page, _ = open_page(browser, url, theme, size)
        go(page, view)
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{folder}/dashboard-{name}.jpg", type="jpeg", quality=62)
        context.close()


def main():
    url, chromium = sys.argv[1:3]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        if len(sys.argv) > 4 and sys.argv[3] == "--shots":
            shots(browser, url, sys.argv[4])
        elif sys.argv[3:] == ["--empty"]:
            for theme in ["light", "dark"]:
                for size in SIZES:
                    nothing_there(browser, url, theme, size)
            on_its_way(browser, url)
        else:
            for theme in ["light", "dark"]:
                for size in SIZES:
                    click_through(browser, url, theme, size)
        browser.close()
    sys.exit(1 if faults else 0)


main()

"""Shows a page in Chromium, first from its server and then from archives of it replayed by pywb, and compares the pictures.

look.py CHROMIUM URL FOLDER…: prints a line of JSON per folder, saying whether the picture is the same and what was missing.
"""
import json
import os
import subprocess
import sys
import tempfile

if sys.argv[1] == "serve":
    import gevent
    from gevent import monkey

    monkey.patch_all()

    from pywb.apps.frontendapp import FrontEndApp
    from pywb.utils.geventserver import GeventServer

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    folder = sys.argv[2]
    settings = {
        "collections": {
            "crawl": {
                "index_paths": os.path.join(folder, "indexes"),
                "archive_paths": os.path.join(folder, "archive") + os.sep,
            }
        },
        "collections_root": tempfile.mkdtemp(),
        "framed_replay": False,
    }
    server = GeventServer(FrontEndApp(config_file=None, custom_config=settings), port=0, hostname="127.0.0.1")
    print(server.port, file=out, flush=True)
    # In a thread of its own, or nothing would be served meanwhile.
    gevent.get_hub().threadpool.apply(sys.stdin.read)
    os._exit(0)

chromium, url, *folders = sys.argv[1:]


def picture(browser, address, allowed):
    missing = []
    page = browser.new_page(viewport={"width": 600, "height": 400})

    def pass_on(route):
        if route.request.url.startswith(allowed):
            route.continue_()
        else:
            missing.append(route.request.url)
            route.abort()

    page.route("**/*", pass_on)
    page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    page.goto(address, wait_until="load")
    # The tool's own banner is not part of the page.
    page.add_style_tag(content="#_wb_plain_banner, #_wb_frame_top_banner { display: none !important }")
    shot = page.screenshot()
    page.close()
    return shot, missing


from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
    origin = "/".join(url.split("/")[:3])
    live, _ = picture(browser, url, origin)
    for folder in folders:
        server = subprocess.Popen(
            [sys.executable, __file__, "serve", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        root = f"http://127.0.0.1:{server.stdout.readline().strip()}/"
        shown, missing = picture(browser, f"{root}crawl/{url}", root)
        server.stdin.close()
        server.wait()
        if directory := os.environ.get("SCENTHOUND_PICTURES"):
            for name, shot in (("live", live), (os.path.basename(folder), shown)):
                with open(os.path.join(directory, name + ".png"), "wb") as file:
                    file.write(shot)
        print(json.dumps({"same": shown == live, "missing": missing}), flush=True)
    browser.close()

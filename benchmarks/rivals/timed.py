# SPDX-License-Identifier: Apache-2.0
"""Run in a rival's environment: call something several times and print the times, and what was found, as JSON."""

import json
import time


def timed(work, runs):
    """`work` once unmeasured, then `runs` times; its last result with seconds of the clock and of the processor."""
    found = work() if runs > 1 else {}
    seconds, cpu = [], []
    for _ in range(runs):
        clock, processor = time.perf_counter(), time.process_time()
        found = work()
        seconds.append(time.perf_counter() - clock)
        cpu.append(time.process_time() - processor)
    print(json.dumps({"seconds": seconds, "cpu": cpu, **found}))

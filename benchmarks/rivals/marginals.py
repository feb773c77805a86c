# SPDX-License-Identifier: Apache-2.0
"""Run in a rival's environment: rows by a model of dpmm. Arguments: file, epsilon, delta, seed, where to write.

The NPZ file has the levels of the rows, a line for each column, and how many levels each column has. dpmm compares
tables of which one has a row more, and its noise needs a delta.
"""

import json
import sys
import time

import numpy as np
import pandas as pd


def synthesize(model, **settings):
    file, epsilon, delta, seed, out = sys.argv[1:6]
    with np.load(file) as arrays:
        codes, sizes = arrays["codes"], arrays["sizes"]
    names = [f"c{place}" for place in range(len(sizes))]
    made = model(epsilon=float(epsilon), delta=float(delta), **settings)
    made.set_random_state(np.random.RandomState(int(seed)))
    made.set_domain({name: int(size) for name, size in zip(names, sizes, strict=True)})
    clock, processor = time.perf_counter(), time.process_time()
    made.fit(pd.DataFrame(dict(zip(names, codes, strict=True))))
    rows = made.generate(n_records=codes.shape[1])
    took = {"seconds": time.perf_counter() - clock, "cpu": time.process_time() - processor}
    np.savez(out, codes=np.stack([rows[name].to_numpy(dtype=np.int64) for name in names]))
    print(json.dumps(took))

# SPDX-License-Identifier: Apache-2.0
"""Run in ai-privacy-toolkit's environment: anonymise a CSV file, and bring held-out rows to its form.

Arguments: file of the rows, the last column is the class; held-out file; k; outputs for both; names of the columns that
hold numbers, joined by commas. Each cell becomes the representative of its leaf: the median of numbers, the commonest
category.
"""

import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from apt.anonymization import Anonymize
from apt.utils.datasets import ArrayDataset

warnings.filterwarnings("ignore", category=FutureWarning)


class Kept(Anonymize):
    """Keeps what recodes further rows: the cells, and the encoding of both files at once."""

    def _anonymize_data(self, x, x_anonymizer_train, cells_by_id):
        self.cells = cells_by_id
        return super()._anonymize_data(x, x_anonymizer_train, cells_by_id)

    def encoded(self, train, further):
        both = self._modify_categorical_features(np.vstack([train, further]))
        own = self._modify_categorical_features(train)
        if both.shape[1] != own.shape[1]:
            raise ValueError("held-out rows have categories that the rows do not have")
        return both[len(train) :]


def read(path, numbers):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return table.astype({name: float for name in table.columns[:-1] if name in numbers})


def write(cells, table, path):
    written = pd.DataFrame(cells, columns=list(table.columns[:-1]))
    written[table.columns[-1]] = table.iloc[:, -1].to_numpy()
    written.to_csv(path, index=False)
    return written


train_path, held_path, k, train_out, held_out, names = sys.argv[1:]
numbers = set(filter(None, names.split(",")))
train, held = read(train_path, numbers), read(held_path, numbers)
quasi = list(train.columns[:-1])
for name in quasi:  # a category that the rows do not have becomes their commonest
    if name not in numbers:
        held.loc[~held[name].isin(set(train[name])), name] = train[name].mode()[0]
started = time.process_time()
method = Kept(int(k), quasi, categorical_features=[name for name in quasi if name not in numbers])
labels = np.unique(train.iloc[:, -1], return_inverse=True)[1]
published = method.anonymize(ArrayDataset(train[quasi], labels, quasi))
seconds = time.process_time() - started
written = write(published.to_numpy(), train, train_out)
rows, further = train[quasi].to_numpy(dtype=object), held[quasi].to_numpy(dtype=object)
prepared = method.encoded(rows, further) if len(numbers) < len(quasi) else further.astype(float)
write(Anonymize._anonymize_data(method, further.copy(), prepared, method.cells), held, held_out)
print(json.dumps({"cpu": seconds, "smallest": int(written.groupby(quasi).size().min())}))

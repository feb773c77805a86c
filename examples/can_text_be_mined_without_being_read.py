# SPDX-License-Identifier: Apache-2.0
"""Can messages be sorted by someone who never sees a word of them?

The owner publishes sketches: sums of secret signs over the words of a message, so short that no word can be told from
them with less than a given variance. The recipient learns from the sketches which kind of message is which, and the
owner has new messages sorted by it. Then the other side: what somebody with the key would get back.
"""

import numpy as np

import discreet as ds
from discreet.sketching.sketches import sketch

KINDS = {"order": range(150), "login": range(150, 300)}
COMMON = range(300, 400)
DELTA = 0.5


def message(kind: str, rng: np.random.Generator) -> np.ndarray:
    """40 words: most of them common to all, or of its kind."""
    words = np.zeros(400, dtype=int)
    words[rng.choice(KINDS[kind], 25, replace=False)] = 1
    words[rng.choice(COMMON, 15, replace=False)] = 1
    return words


rng = np.random.default_rng(7)
labels = np.array(["order", "login"] * 300)
messages = np.array([message(kind, rng) for kind in labels])

method = ds.DeltaSketch(DELTA, random_state=7)
release = method.release(messages, labels)
sketches = release.data
print(
    f"{len(messages)} messages of 40 words are published as {len(sketches)} sketches of {sketches.counts[0]} numbers."
)
print(release.verdict.sentence())

new_labels = np.array(["order", "login"] * 100)
new = np.array([message(kind, rng) for kind in new_labels])
asked = sketch(new, release.owner.signs, method.components(new))  # the owner has the key, the recipient does not

for model in (ds.SketchKNeighborsClassifier(15), ds.SketchLinearClassifier()):
    right = (model.fit(sketches).predict(asked) == new_labels).mean()
    print(f"{type(model).__name__} sorts {right:.0%} of {len(new)} new messages right; guessing, 50%.")
    assert right > 0.7

cells = sketches.attributes(release.owner.signs)
there = release.owner.records.matrix.toarray() == 1
print(f"\nWith the key, a word that is there is estimated as {cells[there].mean():.2f} on average, one that is not as")
print(f"{cells[~there].mean():.2f}; the standard deviation is {cells[there].std():.2f}. A single word stays blurred.")
assert cells[there].var() > DELTA

print("\nWhat the owner should read before publishing:")
for note in release.owner.notes:
    print(f"- {note}")

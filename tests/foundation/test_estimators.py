# SPDX-License-Identifier: Apache-2.0
"""Methods are estimators of scikit-learn, whether it is loaded before them, after them, or not at all."""

import inspect
import json
import subprocess
import sys

import pytest

LATE = """
import copy, json, pickle, sys
import numpy as np
from discreet.methods import GreedySelector, Mondrian
early, mondrian = GreedySelector(k=3), Mondrian(k=4)
copies = [copy.deepcopy(early), pickle.loads(pickle.dumps(mondrian))]
stated = mondrian.get_params()
assert not hasattr(early, "no_such_thing") and not hasattr(early, "support_")
found = {"loaded": "sklearn" in sys.modules, "k": [early.k, *(one.get_params()["k"] for one in copies), stated["k"]]}
"""
THEN = {
    "clone": """
from sklearn.base import clone
found["cloned"] = clone(early).get_params() == early.get_params()
""",
    "pipeline": """
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
""",
    "fit": "",
    "repr": "found['repr'] = repr(mondrian)\n",
    "tags": """
from sklearn.utils import get_tags
found["tags"] = [get_tags(early).target_tags.required, get_tags(early).input_tags.sparse]
""",
}
USED = """
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
X = np.random.default_rng(0).integers(0, 2, (200, 6))
if "make_pipeline" in dir():
    found["score"] = make_pipeline(early, BernoulliNB()).fit(X, X[:, 0]).score(X, X[:, 0])
else:
    found["shape"] = early.fit(X, X[:, 0]).transform(X).shape[0]
found["names"] = len(GreedySelector(k=3).fit(X, X[:, 0]).get_feature_names_out())
found["set"] = GreedySelector(k=3).set_params(k=7).k
found["is"] = [isinstance(one, BaseEstimator) for one in (early, mondrian, Mondrian(k=2))]
found["is"] += [isinstance(one, SelectorMixin) for one in (early, GreedySelector())]
found["left"] = [c.__name__ for c in GreedySelector.__mro__ if c.__name__ == "_Unloaded"]
print(json.dumps(found))
"""


def in_a_process(code):
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("then", THEN)
def test_a_method_that_is_older_than_scikit_learn_becomes_an_estimator(then):
    found = in_a_process(LATE + THEN[then] + USED)
    assert found["loaded"] is False
    assert found["k"] == [3, 3, 4, 4]
    assert found["is"] == [True] * 5
    assert found["left"] == []
    assert found["set"] == 7
    assert found["names"] > 0
    assert found.get("cloned", True)
    assert found.get("repr", "Mondrian(k=4)") == "Mondrian(k=4)"
    assert found.get("tags", [True, True]) == [True, True]


def test_a_method_that_is_younger_than_scikit_learn_is_an_estimator_at_once():
    found = in_a_process(
        "import json, sys\n"
        "from sklearn.base import BaseEstimator\n"
        "from discreet.methods import Fwell, Mondrian\n"
        "print(json.dumps([isinstance(one, BaseEstimator) for one in (Mondrian(k=4), Fwell())]))"
    )
    assert found == [True, True]


def test_signatures_are_those_of_the_constructors():
    from discreet.methods import Mondrian

    (first, *_) = inspect.signature(Mondrian).parameters.values()
    assert (first.name, first.default) == ("k", 5)


def test_unknown_parameters_are_refused_as_scikit_learn_does():
    from discreet.methods import Mondrian

    with pytest.raises(ValueError, match="Invalid parameter"):
        Mondrian(k=4).set_params(kk=3)


def test_displays_of_estimators_warn_of_nothing():
    """Docstrings have a section `Promise`, which the parser of scikit-learn does not know."""
    found = in_a_process(
        "import json\n"
        "import numpy as np\n"
        "from sklearn.naive_bayes import BernoulliNB\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from discreet.methods import METHODS\n"
        "from discreet import Recoder\n"
        "X = np.random.default_rng(0).integers(0, 2, (60, 4))\n"
        "made = [METHODS[name]() for name in METHODS] + [Recoder('nowhere')]\n"
        "made += [METHODS['greedy'](k=3).fit(X, X[:, 0]), make_pipeline(METHODS['greedy'](k=3), BernoulliNB())]\n"
        "shown = [one._repr_html_() for one in made]\n"
        "print(json.dumps([len(shown), all('<table' in one for one in shown), 'random_state' in shown[0]]))"
    )
    assert found[0] > 20
    assert found[1:] == [True, True]

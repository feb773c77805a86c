# SPDX-License-Identifier: Apache-2.0
"""Methods times laws. A method without an instance, or an instance without its laws, fails here."""

import pytest

from checks import BASKET_LAWS, TABLE_LAWS
from checks_breach import OWNER_LAWS
from checks_models import MODEL_LAWS
from checks_names import NAMES_LAWS
from checks_private import PRIVATE_LAWS
from checks_sketches import SKETCH_LAWS
from checks_synthetic import SYNTHETIC_LAWS
from checks_weights import WEIGHTS_LAWS
from discreet import DifferentialPrivacy
from discreet.methods import METHODS
from instances import INSTANCES


def cases(shape, laws, *, needs_source=False):
    return [
        pytest.param(instance, law, id=f"{name}-{law.__name__}")
        for name, instance in INSTANCES.items()
        if shape in instance.shapes and instance.make(5).promise.needs_source == needs_source
        for law in laws
    ]


def test_every_registered_method_has_an_instance():
    made = {type(instance.make(5)) for instance in INSTANCES.values()}
    assert made == set(METHODS.values())


def test_the_instances_of_a_method_cover_the_shapes_it_takes():
    """Each has no other shapes, and one of them has all: some parameters are for one shape alone."""
    for method in METHODS.values():
        own = [instance for instance in INSTANCES.values() if type(instance.make(5)) is method]
        shapes = {method.gives} if method.gives else method.takes
        assert all(set(instance.shapes) <= shapes for instance in own)
        assert any(set(instance.shapes) == shapes for instance in own)


@pytest.mark.parametrize(("instance", "law"), cases("table", TABLE_LAWS))
def test_law_on_tables(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(("instance", "law"), cases("table", OWNER_LAWS, needs_source=True))
def test_law_on_tables_that_only_the_owner_can_check(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(("instance", "law"), cases("baskets", BASKET_LAWS))
def test_law_on_baskets(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(("instance", "law"), cases("model", MODEL_LAWS))
def test_law_on_models(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(("instance", "law"), cases("names", NAMES_LAWS))
def test_law_on_names(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(("instance", "law"), cases("synthetic", SYNTHETIC_LAWS))
def test_law_on_synthetic_rows(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(
    ("instance", "law"),
    [case for shape in ("names", "synthetic", "weights") for case in cases(shape, PRIVATE_LAWS)],
)
def test_law_of_differential_privacy(instance, law, tmp_path):
    law(instance, tmp_path)


def test_the_law_of_differential_privacy_is_for_every_method_that_promises_it():
    promising = {name for name, one in INSTANCES.items() if isinstance(one.make(5).promise, DifferentialPrivacy)}
    shapes = ("names", "synthetic", "weights")
    assert promising == {name for name, one in INSTANCES.items() if set(one.shapes) & set(shapes)}
    assert all(METHODS[INSTANCES[name].make(5).name].by_cells for name in promising)


@pytest.mark.parametrize(("instance", "law"), cases("weights", WEIGHTS_LAWS))
def test_law_on_weights(instance, law, tmp_path):
    law(instance, tmp_path)


@pytest.mark.parametrize(("instance", "law"), cases("sketches", SKETCH_LAWS, needs_source=True))
def test_law_on_sketches(instance, law, tmp_path):
    law(instance, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""Base classes of scikit-learn that cost nothing until scikit-learn is used.

Importing `sklearn.base` takes longer than releasing a table. So `Estimator` stands for `BaseEstimator`,
`TransformerFace` for `TransformerMixin` and `SelectorFace` for `SelectorMixin`: each starts with a base class of its
own, `_Unloaded`, which is replaced by scikit-learn's as soon as it matters. That is when an instance is made after
scikit-learn was loaded, or when an attribute is asked for that only scikit-learn's class has. From then on
`isinstance`, `clone`, pipelines and `check_estimator` see an ordinary estimator, and nothing of the stand-in is left.

Parameters are read here in scikit-learn's way, so that a release states them without loading it. This module also knows
what of scikit-learn is private: how it displays estimators, and whether the kind of output was set.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import threading
from abc import ABCMeta
from typing import TYPE_CHECKING, Any, ClassVar

_LOCK = threading.RLock()


_THEIRS = frozenset(  # public attributes of scikit-learn's classes
    [
        "set_params",
        "get_metadata_routing",
        "transform",
        "fit_transform",
        "inverse_transform",
        "get_support",
        "get_feature_names_out",
        "set_output",
    ]
)


class _Late(ABCMeta):
    """Looks whether scikit-learn was loaded whenever an instance is made. (`__new__` could not be removed later.)"""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        _replace(cls, only_loaded=True)
        return super().__call__(*arguments, **named)

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of `__init__`, which `__call__` would hide."""
        _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(parameters)


class _Unloaded(metaclass=_Late):
    """Takes the place of a class of scikit-learn until that is needed."""

    _stands_for: ClassVar[dict[type, tuple[str, str]]] = {}  # the module and the name of scikit-learn's class

    def __getattr__(self, name: str) -> Any:
        asked_by_python = name.startswith("__") and not name.startswith("__sklearn_")  # copy, pickle and so on
        if asked_by_python or not (name.startswith("_") or name in _THEIRS):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        _replace(type(self))
        return getattr(self, name)

    def __repr__(self) -> str:
        _replace(type(self))
        return repr(self)

    def __sklearn_tags__(self) -> Any:
        """Called by `super()` of a subclass, which `__getattr__` does not see."""
        _replace(type(self))
        face: Any = next((one for one in (SelectorFace, TransformerFace) if isinstance(self, one)), Estimator)
        next_in_line: Any = super(face, self)
        return next_in_line.__sklearn_tags__()


def _replace(cls: type, *, only_loaded: bool = False) -> None:
    """Put scikit-learn's classes in the place of all stand-ins among the bases of a class."""
    for one in cls.__mro__:
        module, name = _Unloaded._stands_for.get(one, ("", ""))
        if not module or (only_loaded and module not in sys.modules):
            continue
        with _LOCK:
            real = getattr(importlib.import_module(module), name, None)
            if real is not None and _Unloaded in one.__bases__:  # None while scikit-learn is being loaded
                one.__bases__ = (real,)
                _tell(one, real)


def _tell(cls: type, real: type) -> None:
    """Do for subclasses that exist already what scikit-learn does when one is made."""
    subclasses: list[type] = cls.__subclasses__()
    for subclass in subclasses:
        real.__init_subclass__.__func__(subclass)  # type: ignore[attr-defined]
        _tell(subclass, real)


if TYPE_CHECKING:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.feature_selection import SelectorMixin
else:
    BaseEstimator = TransformerMixin = SelectorMixin = _Unloaded


class Estimator(BaseEstimator):
    """scikit-learn's `BaseEstimator`, loaded when it is needed."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, by name; `deep` adds those of parameters that are estimators."""
        found = {}
        for name in self._get_param_names():
            found[name] = value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{part}": inner for part, inner in value.get_params().items()}
        return found

    def _get_params_html(self, *arguments: Any, **named: Any) -> Any:
        """Parameters as scikit-learn displays them, alone or in a pipeline."""
        return _documented(super()._get_params_html(*arguments, **named))

    def _get_fitted_attr_html(self, *arguments: Any, **named: Any) -> Any:
        """What was learnt, as scikit-learn displays it."""
        return _documented(super()._get_fitted_attr_html(*arguments, **named))


_PROMISE = re.compile(r"^Promise\n-+\n.*?(?=^\S[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)


def _documented(displayed: Any) -> Any:
    """Let a display of scikit-learn read a docstring without its section `Promise`, of which its parser would warn."""
    cls = displayed.estimator_class
    doc = _PROMISE.sub("", inspect.getdoc(cls) or "")
    displayed.estimator_class = type(cls.__name__, (), {"__doc__": doc, "__module__": cls.__module__})
    return displayed


class TransformerFace(TransformerMixin):
    """scikit-learn's `TransformerMixin`, loaded when it is needed."""


class SelectorFace(SelectorMixin):
    """scikit-learn's `SelectorMixin`, loaded when it is needed. What comes in as a frame goes out as one."""

    def transform(self, X: Any) -> Any:
        """The selected columns of X: of a data frame as a data frame, unless `set_output` says otherwise."""
        _replace(type(self))
        selected = super().transform(X)
        library = type(X).__module__.split(".")[0]
        if output_kind(self) != "default" or not (hasattr(X, "columns") and library in ("pandas", "polars", "pyarrow")):
            return selected
        places = [int(place) for place in self.get_support(indices=True)]
        return X.iloc[:, places] if library == "pandas" else X[:, places] if library == "polars" else X.select(places)


if not TYPE_CHECKING:
    _Unloaded._stands_for |= {
        Estimator: ("sklearn.base", "BaseEstimator"),
        TransformerFace: ("sklearn.base", "TransformerMixin"),
        SelectorFace: ("sklearn.feature_selection", "SelectorMixin"),
    }


def is_estimator(value: object) -> bool:
    """Whether this is an estimator, ours or another of scikit-learn."""
    if "sklearn.base" in sys.modules:
        return isinstance(value, (Estimator, sys.modules["sklearn.base"].BaseEstimator))
    return isinstance(value, Estimator)


def output_kind(estimator: Any) -> str:
    """What `transform` is to return, by `set_output` or for all estimators: "pandas", "polars", or "default" if nobody
    chose. An array that was asked for by `set_output(transform="default")` is "array".
    """
    chosen = vars(estimator).get("_sklearn_output_config", {}).get("transform")
    if chosen is None:
        return sys.modules["sklearn"].get_config()["transform_output"] if "sklearn" in sys.modules else "default"
    return "array" if chosen == "default" else chosen


def check_is_fitted(estimator: Any) -> None:
    """scikit-learn's check."""
    from sklearn.utils.validation import check_is_fitted

    _replace(type(estimator))
    check_is_fitted(estimator)


def validate_data(estimator: Any, *data: Any, **options: Any) -> Any:
    """scikit-learn's check of X and y."""
    from sklearn.utils.validation import validate_data

    _replace(type(estimator))
    return validate_data(estimator, *data, **options)

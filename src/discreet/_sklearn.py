# SPDX-License-Identifier: Apache-2.0
"""Every touch of scikit-learn's private names, in one place."""

from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = ["Interval", "InvalidParameterError", "StrOptions", "check_parameters"]


def check_parameters(obj: object, constraints: dict) -> None:
    """Raise InvalidParameterError in scikit-learn's words unless every parameter is in its range."""
    parameters = {name: getattr(obj, name) for name in constraints}
    validate_parameter_constraints(constraints, parameters, caller_name=type(obj).__name__)

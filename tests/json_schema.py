# SPDX-License-Identifier: Apache-2.0
"""What an editor does with a JSON schema, as far as that of a recipe goes; a keyword it does not know is an error."""

from typing import Any

_REMARKS = {"title", "description", "default", "$defs"}
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (),
}


def fits(value: Any, schema: dict[str, Any] | bool, root: dict[str, Any]) -> bool:
    """Whether a value is what the schema allows."""
    if isinstance(schema, bool):
        return schema
    return all(_keyword(key, said, value, schema, root) for key, said in schema.items() if key not in _REMARKS)


def _keyword(key: str, said: Any, value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_table, is_list = isinstance(value, dict), isinstance(value, list)
    match key:
        case "$ref":
            return fits(value, root["$defs"][said.removeprefix("#/$defs/")], root)
        case "type":
            return isinstance(value, _KINDS[said]) and (said == "boolean" or not isinstance(value, bool))
        case "enum":
            return value in said
        case "const":
            return type(value) is type(said) and value == said
        case "anyOf":
            return any(fits(value, one, root) for one in said)
        case "allOf":
            return all(fits(value, one, root) for one in said)
        case "if":
            return not fits(value, said, root) or fits(value, schema["then"], root)
        case "then":
            return True
        case "minimum":
            return not is_number or value >= said
        case "exclusiveMinimum":
            return not is_number or value > said
        case "maximum":
            return not is_number or value <= said
        case "exclusiveMaximum":
            return not is_number or value < said
        case "minItems":
            return not is_list or len(value) >= said
        case "items":
            return not is_list or all(fits(one, said, root) for one in value)
        case "required":
            return not is_table or set(said) <= set(value)
        case "properties":
            return not is_table or all(fits(value[name], one, root) for name, one in said.items() if name in value)
        case "propertyNames":
            return not is_table or all(fits(name, said, root) for name in value)
        case "additionalProperties":
            others = set(value) - set(schema.get("properties", ())) if is_table else set()
            return all(fits(value[name], said, root) for name in others)
    raise NotImplementedError(key)

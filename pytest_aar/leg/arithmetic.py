"""Finish-line expressions and merge codes: arithmetic of literals, evaluated without `eval`.

`abs(A - B) % 10`, `(A + B + C) % 10` and `digital_root(A + B)` are the forms met; merges are
`int(A) + int(B)` and `abs(int(A) - int(B))`.
"""

import ast
import operator
from collections.abc import Callable, Mapping

Number = int | float

_BINARY: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
}


def digital_root(number: Number) -> int:
    """The iterated digit sum of a number's whole part; 0 only for 0."""
    whole = abs(int(number))
    return 1 + (whole - 1) % 9 if whole else 0


_FUNCTIONS: Mapping[str, Callable[[Number], Number]] = {
    "abs": abs,
    "int": int,
    "digital_root": digital_root,
}


def evaluate(expression: str, operands: Mapping[int, Number] | None = None) -> Number:
    """The value of `expression`, its n-th literal replaced by `operands[n]` where given.

    Raises:
        ValueError: it is no expression of this small language, or it divides by zero.
    """
    tree = _parse(expression)
    literals = _operand_nodes(tree)
    replaced = {
        id(literals[place]): number
        for place, number in (operands or {}).items()
        if place < len(literals)
    }
    try:
        return _value(tree, replaced)
    except ArithmeticError as error:
        raise ValueError(f"{expression!r} can't be evaluated: {error}") from error


def operand_literals(expression: str) -> tuple[Number, ...]:
    """The literals of `expression` in reading order, without the modulus."""
    return tuple(_value(node, {}) for node in _operand_nodes(_parse(expression)))


def rewritten(expression: str, operands: Mapping[int, Number]) -> str:
    """The expression with its n-th literal replaced by `operands[n]` where given, all else as it stands.

    Raises:
        ValueError: it is no expression of this small language.
    """
    text = expression.strip()
    nodes = _operand_nodes(_parse(text))
    for place, node in reversed(list(enumerate(nodes))):
        if place in operands and node.end_col_offset is not None:
            text = f"{text[: node.col_offset]}{operands[place]}{text[node.end_col_offset :]}"
    return text


def _parse(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{expression!r} is no expression: {error.msg}") from error


def _value(node: ast.expr, replaced: Mapping[int, Number]) -> Number:
    if id(node) in replaced:
        return replaced[id(node)]
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, replaced)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, replaced), _value(right, replaced))
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument, replaced))
    raise ValueError(f"{ast.unparse(node)!r} is not arithmetic of literals")


def _operand_nodes(node: ast.expr) -> list[ast.expr]:
    """The literal nodes (with their sign), in reading order, moduli left out."""
    match node:
        case ast.Constant(value=int() | float()):
            return [node]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return [node]
        case ast.BinOp(left=left, op=ast.Mod()):
            return _operand_nodes(left)
        case ast.BinOp(left=left, right=right):
            return _operand_nodes(left) + _operand_nodes(right)
        case ast.Call(args=arguments):
            return [found for argument in arguments for found in _operand_nodes(argument)]
    return []

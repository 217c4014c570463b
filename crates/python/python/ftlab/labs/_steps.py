"""Counts what a hand-in does: a call is put into each of its loops, comprehensions and functions.

The count is the same on every machine and in every version of Python, which neither a clock nor a trace of lines is.
"""

from __future__ import annotations

import ast
import types
from typing import TypeVar

#: Under which the hand-in's module has the function that counts. It is called with the line, and returns True.
COUNTER = "__step__"

_Looping = TypeVar("_Looping", ast.While, ast.For, ast.AsyncFor)
_Function = TypeVar("_Function", ast.FunctionDef, ast.AsyncFunctionDef)
_Comprehending = TypeVar("_Comprehending", ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def compiled(source: bytes, name: str) -> types.CodeType:
    """The code of a hand-in that counts its steps; `SyntaxError` or `ValueError` if it is no Python."""
    tree = _Counting().visit(ast.parse(source, name))
    code = compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True)
    assert isinstance(code, types.CodeType)
    return code


class _Counting(ast.NodeTransformer):
    """Calls the counter once in each round of a loop or a comprehension, and in each call of a function."""

    def _loop(self, node: _Looping) -> _Looping:
        self.generic_visit(node)
        node.body.insert(0, _statement(node))
        return node

    visit_While = visit_For = visit_AsyncFor = _loop

    def _function(self, node: _Function) -> _Function:
        self.generic_visit(node)
        node.body.insert(1 if ast.get_docstring(node, clean=False) is not None else 0, _statement(node))
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def _comprehension(self, node: _Comprehending) -> _Comprehending:
        self.generic_visit(node)
        for part in node.generators:
            part.ifs.insert(0, _call(node))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _call(at: ast.stmt | ast.expr) -> ast.Call:
    counter = ast.Name(COUNTER, ast.Load())
    return ast.copy_location(ast.Call(counter, [ast.Constant(at.lineno)], []), at)


def _statement(at: ast.stmt) -> ast.Expr:
    return ast.copy_location(ast.Expr(_call(at)), at)

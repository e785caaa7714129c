"""One-way constraints kept while variables change: objects that point at each other, walked and rewritten."""

from __future__ import annotations

REQUIRED, STRONG, NORMAL, WEAK, WEAKEST = range(5)


class Variable:
    def __init__(self, value: int) -> None:
        self.value = value
        self.constraints: list[Constraint] = []
        self.determined_by: Constraint | None = None
        self.mark = 0
        self.strength = WEAKEST
        self.stay = True


class Constraint:
    def __init__(self, strength: int, inputs: list[Variable], output: Variable) -> None:
        self.strength = strength
        self.inputs = inputs
        self.output = output
        self.satisfied = False
        for variable in [*inputs, output]:
            variable.constraints.append(self)

    def satisfy(self, mark: int) -> Constraint | None:
        output = self.output
        if output.strength <= self.strength or output.mark == mark:
            return None
        overridden = output.determined_by
        if overridden is not None:
            overridden.satisfied = False
        output.determined_by = self
        self.satisfied = True
        for variable in self.inputs:
            variable.mark = mark
        self.recalculate()
        output.mark = mark
        return overridden

    def recalculate(self) -> None:
        output, strength = self.output, self.strength
        stay = self.stays()
        for variable in self.inputs:
            strength = max(strength, variable.strength)
            stay = stay and variable.stay
        output.strength = strength
        output.stay = stay
        if stay:
            self.execute()

    def stays(self) -> bool:
        return True

    def execute(self) -> None:
        """Nothing is computed by a constraint without inputs."""


class Edit(Constraint):
    def stays(self) -> bool:
        return False


class Equal(Constraint):
    def execute(self) -> None:
        self.output.value = self.inputs[0].value


class Scaled(Constraint):
    def execute(self) -> None:
        source, factor, offset = self.inputs
        self.output.value = source.value * factor.value + offset.value


class Planner:
    def __init__(self) -> None:
        self.mark = 0
        self.executed = 0

    def add(self, constraint: Constraint) -> None:
        self.mark += 1
        overridden: Constraint | None = constraint
        while overridden is not None:
            overridden = overridden.satisfy(self.mark)
        self.propagate(constraint)

    def propagate(self, constraint: Constraint) -> None:
        todo = [constraint]
        while todo:
            current = todo.pop()
            if current.satisfied:
                current.recalculate()
                todo += self.consumers(current.output)

    def consumers(self, variable: Variable) -> list[Constraint]:
        return [
            one
            for one in variable.constraints
            if one.satisfied and one is not variable.determined_by and one.output is not variable
        ]

    def plan(self, edit: Constraint) -> list[Constraint]:
        found, todo = [], self.consumers(edit.output)
        while todo:
            current = todo.pop()
            found.append(current)
            todo += self.consumers(current.output)
        return found

    def change(self, edit: Constraint, plan: list[Constraint], value: int) -> None:
        edit.output.value = value
        for constraint in plan:
            constraint.execute()
            self.executed += 1


def chain(planner: Planner, length: int) -> int:
    variables = [Variable(0) for _ in range(length)]
    for before, after in zip(variables, variables[1:], strict=False):
        planner.add(Equal(REQUIRED, [before], after))
    edit = Edit(NORMAL, [], variables[0])
    planner.add(edit)
    plan = planner.plan(edit)
    for value in range(50):
        planner.change(edit, plan, value)
    return variables[-1].value


def projection(planner: Planner, length: int) -> int:
    factor, offset = Variable(10), Variable(1000)
    total = 0
    for number in range(length):
        source, target = Variable(number), Variable(number)
        planner.add(Scaled(REQUIRED, [source, factor, offset], target))
        edit = Edit(STRONG, [], source)
        planner.add(edit)
        planner.change(edit, planner.plan(edit), number + 1)
        total += target.value
    return total


def main() -> object:
    planner = Planner()
    return [chain(planner, 200), projection(planner, 700), planner.executed]

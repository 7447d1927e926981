"""What is here: workloads, tools, and how to get the tools that are missing."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from adbench.errors import BenchError
from adbench.identity import commit, machine, package_versions
from adbench.native.build import compiler, compiler_version
from adbench.process.client import ToolProcess
from adbench.tools.base import Tool
from adbench.tools.registry import all_tools
from adbench.workloads import all_workloads
from adbench.workloads.base import Size


def workloads_table() -> Table:
    """Workloads with the number of cases of each size class and the names of the small ones."""
    table = Table(title="workloads", title_justify="left")
    for heading in ("name", "problem", *(f"{size.value} cases" for size in Size), "small"):
        table.add_column(heading, overflow="fold")
    for workload in all_workloads().values():
        counts = [str(len(workload.cases(size))) for size in Size]
        names = ", ".join(case.name for case in workload.cases(Size.SMALL))
        table.add_row(workload.name, workload.title, *counts, names)
    return table


def tools_table() -> Table:
    """Tools with their tolerance and whether they are installed."""
    table = Table(title="tools", title_justify="left")
    for heading in ("name", "what it is", "devices", "tolerance", "installed"):
        table.add_column(heading, overflow="fold")
    for tool in all_tools().values():
        missing = tool.missing()
        state = f"no: {tool.install}" if missing else "yes, on demand" if tool.on_demand else "yes"
        table.add_row(tool.name, tool.title, ", ".join(tool.devices), f"{tool.tolerance:.0e}", state)
    return table


def examine(screen: Console) -> bool:
    """Start every installed tool and say what it answers; whether all that are installed work."""
    here = machine()
    screen.print(
        f"machine: {here['cpu']}, {here['cores']} cores, {here['memory_bytes'] / 2**30:.0f} GiB, {here['system']}"
    )
    screen.print(f"python {here['python']}; commit {commit()['id'] or 'unknown'}")
    versions = [f"{name} {version}" for name, version in package_versions().items() if version]
    screen.print("packages: " + ", ".join(versions), soft_wrap=True)
    screen.print(f"C compiler: {' '.join(compiler())} ({compiler_version()})", soft_wrap=True, markup=False)
    table = Table()
    for heading in ("tool", "state", "version or what to do"):
        table.add_column(heading, overflow="fold")
    healthy = True
    known: dict[tuple[object, ...], tuple[str, str]] = {}
    for tool in all_tools().values():
        # Variants of one tool, by threads or by settings, are started once.
        family = (tool.runner, tool.requires)
        if family not in known:
            known[family] = examine_tool(tool)
        state, detail = known[family]
        healthy &= state != "broken"
        table.add_row(tool.name, state, detail)
    screen.print(table)
    return healthy


def examine_tool(tool: Tool) -> tuple[str, str]:
    """("ready", version), ("not installed", how to install) or ("broken", why)."""
    missing = tool.missing()
    if missing:
        return "not installed", f"{tool.install} (missing: {', '.join(missing)})"
    try:
        with ToolProcess(tool.name) as process:
            answer = process.start()
    except BenchError as error:
        return "broken", str(error)
    if answer.get("error"):
        return "broken", str(answer["error"])
    return "ready", str(answer.get("version", ""))

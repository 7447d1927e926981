"""The dashboard of made-up histories: alarms, pages, links, and what a real browser shows of them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adbench.dashboard import build
from adbench.dashboard.charts import fine_ticks, ticks
from adbench.dashboard.html import Markup, tag
from adbench.errors import UsageError
from adbench.history import History, Statistic
from adbench.sources import Run, load_all
from adbench.store import Row, Status, read_results
from tests.adbench import browser
from tests.adbench.histories import MACHINE, header, timed_row, write_history, write_run
from tests.adbench.test_cli import adbench
from tests.adbench.test_compare import PYTEST

CHROMIUM = browser.find()
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (Debian: apt-get install chromium)")
PLANTED = (137, 20, 1.05)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 cells over 30 runs, samples with 3 % noise, one cell 5 % slower since the twentieth run."""
    folder = tmp_path_factory.mktemp("planted")
    write_history(folder / "runs", 30, 200, 0.03, PLANTED, samples=7)
    done = adbench(folder, "dashboard", "runs", "--out", "site")
    assert done.returncode == 1, done.stderr
    assert "1.0" in done.stdout
    return folder / "site"


def test_the_planted_regression_is_the_only_alarm(planted: Path) -> None:
    record = json.loads((planted / "alerts.json").read_text(encoding="utf-8"))
    (alert,) = record["alerts"]
    assert (alert["workload"], alert["case"], alert["tool"]) == ("w6", "n100000", "enzyme-pre")
    assert alert["kind"] == "slower"
    assert alert["ratio"] == pytest.approx(1.05, abs=0.015)
    assert abs(int(alert["since_run"].removeprefix("day-")) - 20) <= 1
    assert not alert["new"]
    assert record["cells"] == 200


@pytest.mark.parametrize("seed", range(2))
def test_noise_between_runs_raises_no_alarm(tmp_path: Path, seed: int) -> None:
    runs = write_history(tmp_path, 25, 200, 0.0, None, seed, samples=1, between=0.03)
    assert History(runs).alerts == []


def test_noise_between_runs_hides_a_regression_only_for_so_long(tmp_path: Path) -> None:
    runs = write_history(tmp_path, 60, 100, 0.0, (11, 30, 1.05), 1, samples=1, between=0.03)
    alerts = History(runs).alerts
    assert [alert.key[1:3] for alert in alerts] == [("n1000", "jax")]
    assert alerts[0].since == pytest.approx(30, abs=5)


def test_what_the_newest_run_shows_first_is_new(tmp_path: Path) -> None:
    runs = write_history(tmp_path, 16, 12, 0.01, (3, 15, 1.5))
    (alert,) = History(runs).alerts
    assert (alert.new, alert.since) == (True, 15)
    assert History(runs[:-1]).alerts == []
    # One run later it is still slow, and not new.
    more = write_history(tmp_path, 18, 12, 0.01, (3, 15, 1.5))
    (alert,) = History(more).alerts
    assert (alert.new, alert.since) == (False, 15)


def test_a_speedup_and_a_mended_regression_raise_no_alarm(tmp_path: Path) -> None:
    faster = write_history(tmp_path / "a", 16, 12, 0.01, (3, 8, 0.8))
    assert History(faster).alerts == []
    slow_then_fast = [
        *write_history(tmp_path / "b", 20, 12, 0.01, (3, 6, 1.3))[:12],
        *write_history(tmp_path / "c", 20, 12, 0.01)[12:],
    ]
    history = History(slow_then_fast)
    assert history.alerts == []
    cell = next(cell for key, cell in history.cells.items() if key[1:3] == ("n10", "jax"))
    assert [round(step.ratio, 1) for step in cell.stretches[0].steps] == [1.3, 0.8]


def mixed(folder: Path) -> list[Run]:
    """A history with every kind of cell: two machines, failures, a broken cell, text that looks like HTML."""
    random = np.random.default_rng(0)
    runs = []
    for day in range(12):
        machine = MACHINE if day < 5 else {**MACHINE, "cpu": "another processor"}
        scale = 1.0 if day < 5 else 1.7
        rows: list[Row] = []
        for size in (10, 100, 1000):
            rows += [
                timed_row("gmm", f"n{size}", tool, scale * size * 1e-6 * factor, random, problem_size=size)
                for tool, factor in (("enzyme", 1.0), ("enzyme-pre", 4.0), ("manual", 0.9))
            ]
            failed = Row("gmm", f"n{size}", "jax", "cpu", Status.WRONG, message="<b>0.1</b> off", problem_size=size)
            rows.append(failed if size == 10 else replace(failed, status=Status.TIMEOUT, message="not done"))
            rows.append(replace(failed, tool="pytorch", status=Status.SKIPPED, message="not installed"))
        if day == 11:
            rows[0] = replace(failed, case="n10", tool="enzyme", status=Status.ERROR, message="killed by signal 9")
        runs.append(write_run(folder / str(day), header(day, machine=machine), rows))
    return runs


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("varied")
    mixed(folder / "runs")
    (folder / "runs" / "bench.json").write_text(json.dumps(PYTEST), encoding="utf-8")
    build(History(load_all([folder / "runs"])), folder / "site")
    return folder / "site"


def test_machines_are_kept_apart_and_a_broken_cell_is_an_alarm(tmp_path: Path) -> None:
    history = History(mixed(tmp_path))
    (alert,) = history.alerts
    assert (alert.kind, alert.key[1:3], alert.new) == ("broken", ("n10", "enzyme"), True)
    assert "signal 9" in alert.message
    cell = history.cells["gmm", "n100", "manual", "cpu"]
    assert [len(stretch.points) for stretch in cell.stretches] == [5, 7]
    assert all(stretch.steps == () for stretch in cell.stretches)


def test_every_link_leads_somewhere_and_nothing_outside(varied: Path) -> None:
    pages = sorted(varied.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "://" not in text
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            if not target.startswith(("data:", "#")):
                assert (page.parent / target).resolve().is_file(), f"{page.name}: {target}"


def test_failures_are_shown_as_failures_and_text_stays_text(varied: Path) -> None:
    overview = (varied / "index.html").read_text(encoding="utf-8")
    assert "✗ 1 wrong, 2 timeout" in re.sub(r"<[^>]*>", "", overview)
    assert "not run" in overview
    cell = next(varied.glob("cell/gmm-n10-jax-cpu*.html")).read_text(encoding="utf-8")
    assert "&lt;b&gt;0.1&lt;/b&gt; off" in cell
    assert "<b>0.1</b>" not in cell
    run = (varied / "run" / "day-011.html").read_text(encoding="utf-8")
    assert "change &lt;11&gt;" in run
    assert "broken" in run


def test_raw_data_can_be_taken_away(varied: Path) -> None:
    results = read_results(varied / "data" / "day-003.jsonl")
    assert len(results.rows) == 15
    assert len(results.rows[0].samples["derivative"]) == 20
    with (varied / "data" / "cells.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 12 * 15 + 1
    assert {line["status"] for line in lines} == {"ok", "wrong", "timeout", "skipped", "error"}


def test_the_quieter_statistic_stands_for_a_run(tmp_path: Path) -> None:
    assert History(write_history(tmp_path, 12, 8, 0.05, samples=9)).statistic is Statistic.MEDIAN
    rows = tmp_path / "one-sided"
    random = np.random.default_rng(0)
    runs = []
    for day in range(12):
        slow = 1 + abs(random.normal(0, 0.2))
        row = timed_row("w", "c", "t", 1e-3, random, noise=0.0, samples=4)
        row = replace(row, derivative_median_seconds=1e-3 * slow)
        runs.append(write_run(rows / str(day), header(day), [row]))
    assert History(runs).statistic is Statistic.MINIMUM


def test_nothing_to_show_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run"):
        build(History([]), tmp_path / "site")
    done = adbench(tmp_path, "dashboard", "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr


def test_markup_is_escaped_once() -> None:
    assert tag("p", "a < b", Markup("<b>c</b>"), class_="x", hidden=True, title=None) == (
        '<p class="x" hidden>a &lt; b<b>c</b></p>'
    )
    assert tag("path", d="M0 0") == '<path d="M0 0"/>'


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.3), (1e-6, 3e-6), (2.0, 9e5), (3e-9, 4e2)])
def test_ticks_are_few_and_inside(low: float, high: float) -> None:
    for found in [ticks(low, high, 7)] + ([fine_ticks(low, high, 6)] if high < 3 * low else []):
        assert 1 <= len(found) <= 8
        assert all(low * 0.999 <= tick <= high * 1.001 for tick in found)


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    assert CHROMIUM is not None
    with browser.Browser(CHROMIUM) as started:
        yield started


@needs_browser
def test_the_browser_shows_the_regression(chromium: browser.Browser, planted: Path) -> None:
    chromium.look(1200)
    chromium.open(planted / "index.html")
    alerts = chromium.run("Array.from(document.querySelectorAll('.alert'), a => a.innerText)")
    assert len(alerts) == 1
    assert "w6 n100000, enzyme-pre" in alerts[0]
    assert re.search(r"\+[45]\.\d%", alerts[0])
    assert chromium.run("document.querySelectorAll('.matrix td.tile').length") == 44
    # Its link leads to the history, where the step is drawn.
    chromium.open(planted / chromium.run("document.querySelector('.alert a').getAttribute('href')"))
    assert chromium.run("document.querySelectorAll('svg.wide .step').length") == 1
    assert chromium.run("document.querySelectorAll('svg.wide .dot').length") == 30
    assert chromium.run("document.querySelectorAll('svg.wide .dot.alarm').length") in {9, 10, 11}


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_every_kind_of_page_can_be_read_on_a_phone(chromium: browser.Browser, varied: Path, dark: bool) -> None:
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.look(360, 740, dark)
    pages = ["index", "workloads", "history", "runs", "compare", "data", "workload/gmm", "run/day-011"]
    for page in [*pages, f"cell/{next(varied.glob('cell/gmm-n10-jax*')).stem}"]:
        chromium.open(varied / f"{page}.html")
        assert chromium.run("document.documentElement.scrollWidth <= innerWidth"), page
        assert chromium.run("getComputedStyle(document.querySelector('p, td, dd')).fontSize >= '13'"), page
        light = chromium.run("getComputedStyle(document.body).backgroundColor")
        assert light == ("rgb(22, 24, 27)" if dark else "rgb(251, 250, 248)")
        small = chromium.run(
            "Array.from(document.querySelectorAll('svg.narrow text'),"
            " t => t.getBoundingClientRect().height).filter(h => h > 0 && h < 10).length"
        )
        assert small == 0, page
    assert chromium.errors == []
    assert all(request.startswith(("file:", "data:")) for request in chromium.requests)


@needs_browser
def test_words_stand_out_from_their_ground(chromium: browser.Browser, varied: Path) -> None:
    """WCAG 2's contrast of text, on the page with the most colours."""
    script = """(() => {
      const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const rgb = (colour, under) => {
        canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return Array.from(canvas.getImageData(0, 0, 1, 1).data).slice(0, 3);
      };
      const light = c => {
        const [r, g, b] = c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b; };
      const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!/, 0\\)$|transparent/.test(c)) return c; } return 'white'; };
      let worst = [99, ''];
      for (const e of document.querySelectorAll('p, td, th, dd, dt, a, b, span, small, li')) {
        if (!e.innerText || e.offsetParent === null || e.closest('.skip')) continue;
        const under = ground(e), a = light(rgb(under, 'white')), b = light(rgb(getComputedStyle(e).color, under));
        const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
        if (contrast < worst[0]) worst = [contrast, e.innerText];
      }
      return worst;
    })()"""
    for dark in (False, True):
        chromium.look(1200, dark=dark)
        chromium.open(varied / "index.html")
        contrast, words = chromium.run(script)
        assert contrast >= 4.5, (words, dark)


@needs_browser
def test_all_can_be_reached_by_keyboard(chromium: browser.Browser, varied: Path) -> None:
    chromium.look(1200)
    chromium.open(varied / "history.html")
    seen = []
    for _ in range(14):
        chromium.press("Tab", 9)
        seen.append(chromium.run("document.activeElement.innerText || document.activeElement.id"))
        assert chromium.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert seen[0] == "Skip to the content"
    assert {"Overview", "Runs", "Light / dark", "filter", "cell"} <= set(seen)
    # Sorting with the keyboard: the heading's button is pressed by Enter.
    chromium.run("document.querySelectorAll('thead button')[2].focus()")
    chromium.press("Enter", 13, "\r")
    assert chromium.run("document.querySelectorAll('thead th')[2].getAttribute('aria-sort')") == "ascending"
    values = chromium.run(
        "Array.from(document.querySelectorAll('#cells tbody td:nth-child(3)'), c => c.dataset.sort).filter(Boolean)"
    )
    assert len(values) > 5
    assert [float(v) for v in values] == sorted(float(v) for v in values)
    chromium.run("document.getElementById('filter').focus()")
    for letter in "jax":
        chromium.press(letter, ord(letter.upper()), letter)
    assert chromium.run("document.getElementById('filtered').textContent") == "3 of 16"


@needs_browser
def test_two_runs_can_be_chosen_and_compared(chromium: browser.Browser, planted: Path, varied: Path) -> None:
    chromium.errors.clear()
    chromium.look(1200)
    chromium.open(planted / "compare.html")
    assert "200 cells" in chromium.run("document.getElementById('summary').textContent")
    assert chromium.run("document.querySelectorAll('#compared tbody tr').length") == 200
    chromium.open(varied / "compare.html")
    chromium.run("document.getElementById('before').value = '10'")
    chromium.run("document.getElementById('before').dispatchEvent(new Event('change'))")
    summary = chromium.run("document.getElementById('summary').textContent")
    assert summary.startswith("Different machines")
    assert "1 broken, 8 slower" in summary
    assert chromium.run("document.querySelector('#compared tbody').rows[0].innerText").startswith("gmm n10, enzyme")
    assert chromium.errors == []


@needs_browser
def test_the_theme_can_be_chosen(chromium: browser.Browser, varied: Path) -> None:
    chromium.look(800, dark=False)
    chromium.open(varied / "index.html")
    colours = []
    for _ in range(2):
        chromium.run("document.getElementById('theme').click()")
        colours.append(chromium.run("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(22, 24, 27)", "rgb(251, 250, 248)"]

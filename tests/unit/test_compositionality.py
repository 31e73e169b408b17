import json
import re
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from handmade_legs import diamond, linear

from pytest_aar.cli import aar
from pytest_aar.compositionality import FORMATS, ToolGraph, measure
from pytest_aar.compositionality.documents import text_of
from pytest_aar.compositionality.shapes import judged
from pytest_aar.errors import ConfigurationError


@pytest.fixture
def put(tmp_path):
    """Write a value as JSON, a list of lines as JSON lines, or a text; give the path."""

    def write(name, content, *, lines=False):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if lines:
            content = "\n".join(map(json.dumps, content))
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def run(*arguments):
    return CliRunner().invoke(aar, ["compositionality", *map(str, arguments)])


def measured(name, *paths):
    return measure(FORMATS[name], paths)


def only_row(name, *paths):
    (row,) = measured(name, *paths).rows
    return row


def kinds(found):
    return {fault.instance: (fault.kind, fault.what) for fault in found.faults}


# Shapes


def graph(nodes, *edges):
    return ToolGraph(instance="x", where="f", nodes=nodes, edges=frozenset(edges))


@pytest.mark.parametrize(
    ("found", "shape"),
    [
        (graph(1), "path"),
        (graph(3, (0, 1), (1, 2)), "path"),
        (graph(3, (2, 1), (1, 0)), "path"),
        (graph(3, (0, 1), (0, 2)), "fork"),
        (graph(4, (0, 1), (0, 2), (1, 3), (2, 3)), "dag"),
        (graph(3, (0, 2), (1, 2)), "dag"),
        (graph(3, (0, 1), (1, 2), (0, 2)), "dag"),  # no transitive reduction
        (graph(2), "apart"),
        (graph(4, (0, 1), (2, 3)), "apart"),
        (graph(4, (0, 2), (1, 2)), "dag"),  # in two pieces, but with a merge
    ],
)
def test_shapes(found, shape):
    assert judged(found) == shape


@pytest.mark.parametrize(
    ("edges", "what"),
    [
        ([(1, 2), (2, 1)], "steps 1 -> 2 -> 1 (the first is 0)"),
        ([(0, 0)], "steps 0 -> 0 (the first is 0)"),
    ],
)
def test_a_cycle_has_no_shape(edges, what):
    fault = judged(graph(3, *edges))
    assert (fault.kind, fault.what) == ("cycle", what)
    assert str(fault) == f"x in f: cycle: {what}"


# Formats


def action(number, *before, name="Tool.call"):
    return {"id": number, "prev": list(before), "name": name, "args": {}}


def plan(*actions):
    return {"ground_truth": list(actions)}


def test_teval_counts_the_finish_action_in_the_shape_only(put):
    file = put(
        "plans.json",
        {
            "path": plan(action(0), action(1, 0), action(2, 1, name="FinishAction")),
            # Two calls that only the finish action brings together.
            "dag": plan(action(0), action(1), action(2, 0, 1, name="FinishAction")),
        },
    )
    row = only_row("teval", file)
    assert (row.instances, row.steps) == (2, 2.0)
    assert row.shapes == {"path": 1, "dag": 1, "fork": 0, "apart": 0}
    assert (row.percent("path"), row.percent("dag")) == (50.0, 50.0)


def test_teval_faults_are_left_out_and_named(put):
    file = put(
        "plans.json",
        {
            "good": plan(action(0)),
            "dangling": plan(action(0), action(1, 7)),
            "twice": plan(action(0), action(0)),
            "cyclic": plan(action(0, 1), action(1, 0)),
            "empty": plan(),
            "odd": {"ground_truth": [{"id": 0, "name": "x"}]},
            "text": "no plan",
        },
    )
    found = measured("teval", file)
    assert found.rows[0].instances == 1
    assert kinds(found) == {
        "dangling": ("dangling reference", "no action has the id 7"),
        "twice": ("repeated step", "two actions have one id"),
        "cyclic": ("cycle", "steps 0 -> 1 -> 0 (the first is 0)"),
        "empty": ("no steps", "it holds no call"),
        "odd": ("malformed", "ground_truth.0.prev: Field required"),
        "text": ("malformed", "the entry: Input should be a valid dictionary"),
    }


def test_the_same_instance_counts_once_and_another_of_its_name_is_a_fault(put, tmp_path):
    put("a.json", {"q1": plan(action(0)), "q2": plan(action(0))})
    put("b.json", {"q1": plan(action(0)), "q2": plan(action(0), action(1, 0))})
    found = measured("teval", tmp_path)
    assert (found.rows[0].instances, found.repeated) == (2, 1)
    assert kinds(found)["q2"] == (
        "repeated name",
        f"another graph has this name in {tmp_path / 'a.json'}",
    )


def call(label, **arguments):
    return {"name": "f", "label": label, "arguments": arguments}


def test_nestful_reads_references_of_both_editions_wherever_they_stand(put):
    first = [call("var1"), call("var2", deep=[{"a": "id $var1.id$"}])]
    first.append({"name": "var_result", "arguments": {"a": "$var1$", "b": "$var2$"}})
    second = [
        call("$var_1", a=5),
        call("$var_2", price="$5 or $6"),
        call("$var_3", a="$var_1.result$"),
    ]
    file = put(
        "samples.jsonl",
        [{"output": first}, {"sample_id": "s", "output": json.dumps(second)}],
        lines=True,
    )
    old, new = measured("nestful", file).rows
    assert (old.benchmark, old.steps, old.shapes["dag"]) == ("NESTFUL v1", 2.0, 1)
    assert (new.benchmark, new.steps, new.shapes["apart"]) == ("NESTFUL v2", 3.0, 1)


def test_nestful_faults(put):
    samples = [
        {"sample_id": "good", "output": [call("$var_1")]},
        {"sample_id": "dangling", "output": [call("$var_1", a="$var_9.result$")]},
        {"sample_id": "twice", "output": [call("$var_1"), call("$var_1")]},
        {"sample_id": "text", "output": "not JSON"},
    ]
    found = kinds(measured("nestful", put("samples.json", samples)))
    assert found["dangling"] == ("dangling reference", "no call has the label 'var_9'")
    assert found["twice"] == ("repeated step", "two calls have one label")
    assert found["text"][0] == "malformed"


def task(names, *links, kind="task"):
    return {
        f"{kind}_nodes": [{"task": name, "arguments": []} for name in names],
        f"{kind}_links": [{"source": source, "target": target} for source, target in links],
    }


def test_taskbench_reads_links_by_name_also_as_texts(put):
    as_texts = {key: json.dumps(value) for key, value in task("ab", "ab", kind="tool").items()}
    samples = [
        task("a"), as_texts, task("abc", "ac", "bc"), task("abc", "ab", "ac"),
        task("ab", "ax"), task("aab", "ab"), {"id": "no links", "task_nodes": []},
    ]  # fmt: skip
    file = put("data.json", [{"id": str(n), **s} for n, s in enumerate(samples)], lines=True)
    found = measured("taskbench", file)
    assert found.rows[0].shapes == {"path": 2, "dag": 1, "fork": 1, "apart": 0}
    folder = file.parent.name
    assert kinds(found) == {
        f"{folder}/4": ("dangling reference", "a link names 'x', which 0 steps have"),
        f"{folder}/5": ("repeated step", "a link names 'a', which 2 steps have"),
        f"{folder}/no links": ("malformed", "task_nodes or task_links: Field required"),
    }


_TABLE = """# Counts
| Dataset | #Samples (%) | Node | Chain | DAG |
| :-----: | :---: | :---: | :---: | :---: |
| One | 1,100 (9%) | 1,000 | 60 | 40 |
| Two | 100 (9%) | 50 | 40 | 10 |

| Dataset | #A | #B | #C |
| :-----: | :---: | :---: | :---: |
| One | 7 | 7 | 7 |
"""


def test_taskbench_takes_the_published_counts_where_there_are_no_data(put, tmp_path):
    file = put("README.md", _TABLE)
    put("tool_desc.json", {"nodes": []})
    for path in (file, tmp_path):
        row = only_row("taskbench", path)
        assert (row.instances, row.steps) == (1200, None)
        assert row.shapes == {"path": 1150, "dag": 50, "fork": 0, "apart": 0}
    put("data.json", [task("a")])
    assert only_row("taskbench", tmp_path).instances == 1


def test_a_readme_without_the_counts(put):
    with pytest.raises(ConfigurationError, match="no table with the columns Node, Chain and DAG"):
        measured("taskbench", put("README.md", "| Node |\n"))


def message(role, text="", *below):
    return {"role": role, "message": text, "next": list(below)}


def answered(*roots):
    return {"query": "?", "answer": {"answer_details": list(roots)}}


def test_toolbench_takes_the_calls_of_tools_in_a_tree_of_messages(put):
    def tool(name, *below):
        return message("tool", f"{{'name': '{name}', 'arguments': '", *below)

    runs = {
        "path": answered(
            message("system", "", tool("a", message("assistant", "", tool("Finish"))))
        ),
        "fork": answered(tool("a", tool("b"), message("assistant", "", tool("c")))),
        "none": answered(message("system")),
    }
    found = measured("toolbench", put("G1.json", runs))
    (row,) = found.rows
    assert (row.instances, row.steps) == (2, 2.0)
    assert row.shapes == {"path": 1, "dag": 0, "fork": 1, "apart": 0}
    assert [fault.kind for fault in found.faults] == ["no steps"]


def test_bfcl_has_steps_and_no_shapes(put, tmp_path):
    put(
        "BFCL_parallel.json",
        [
            {"id": "p", "ground_truth": [{"f": {}}, {"g": {}}]},
            {"id": "s", "ground_truth": [{"f": {}}]},
        ],
        lines=True,
    )
    put(
        "BFCL_multi_turn.json",
        [{"id": "m", "ground_truth": [["a()", "b()"], [], ["c()"]]}],
        lines=True,
    )
    put("BFCL_memory.json", [{"id": "x", "ground_truth": ["Michael"]}], lines=True)
    found = measured("bfcl", tmp_path)
    (row,) = found.rows
    assert (row.instances, row.steps, row.shapes) == (3, 2.0, None)
    assert row.percent("path") is None
    assert "don't say which call needs another's result" in row.undefined
    assert found.passed_over == (str(tmp_path / "BFCL_memory.json"),)


def test_gaia_and_toolhop_are_chains(put):
    gaia = put(
        "metadata.jsonl",
        [
            {"task_id": name, "Annotator Metadata": {"Number of steps": steps}}
            for name, steps in {"a": "3", "b": "5 ", "c": "", "d": "many", "e": "99999999"}.items()
        ],
        lines=True,
    )
    found = measured("gaia", gaia)
    assert (found.rows[0].instances, found.rows[0].steps, found.rows[0].percent("path")) == (
        2,
        4.0,
        100.0,
    )
    assert kinds(found)["d"] == (
        "no steps",
        "Number of steps is 'many', not a number from 1 to 999",
    )
    assert kinds(found).keys() == {"c", "d", "e"}

    hop = put(
        "hop.json", [{"id": 1, "sub_task": {"a?": "1", "b?": "2"}}, {"id": 2, "sub_task": []}]
    )
    found = measured("toolhop", hop)
    assert (found.rows[0].instances, found.rows[0].steps, found.rows[0].shapes["path"]) == (
        1,
        2.0,
        1,
    )
    assert kinds(found)["2"][0] == "malformed"


def test_a_leg_that_two_paths_lead_to_is_counted_once(put, tmp_path):
    put("dag/easy/1.json", diamond())
    put("dag/easy/2.json", {**diamond(), "trail_id": "another of the same shape"})
    done = run(tmp_path, tmp_path / "dag/../dag/easy", "--format", "aar")
    assert re.search(r"(?m)^AAR dag +2 ", done.stdout)
    assert done.stderr.endswith("easy): 2 found again, counted once\n")


def test_legs_of_two_sets_may_have_one_id(put, tmp_path):
    put("legs/dag/easy/1.json", diamond())
    put("more/legs/dag/easy/1.json", {**diamond(), "trail_id": "another"})
    done = run(tmp_path / "legs", tmp_path / "more/legs", "--format", "aar")
    assert re.search(r"(?m)^AAR dag +2 ", done.stdout)
    assert done.stderr == ""


def test_legs_by_variant_the_finish_line_a_step(put, tmp_path):
    put("dag/easy/1.json", diamond())
    put("linear/easy/1.json", linear())
    put("linear/easy/2.json", {**linear(), "stops": []})
    put("package.json", {})
    found = measured("aar", tmp_path)
    assert [(row.benchmark, row.instances, row.steps) for row in found.rows] == [
        ("AAR linear", 1, 6.0),
        ("AAR dag", 1, 9.0),
    ]
    assert [row.percent("dag") for row in found.rows] == [0.0, 100.0]
    (fault,) = found.faults
    assert (fault.kind, fault.where) == ("no leg", str(tmp_path / "linear/easy/2.json"))


# Bad input


def test_another_format(put, tmp_path):
    file = put("plans.json", {"q": plan(action(0))})
    with pytest.raises(ConfigurationError) as named:
        measured("nestful", file)
    assert str(named.value) == (
        f"{file}: not in the format of NESTFUL, which has samples with a list `output` of calls (name, "
        "arguments, label); choose another --format, or name another file"
    )
    with pytest.raises(ConfigurationError, match="no file there is in the format of GAIA"):
        measured("gaia", tmp_path)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_document_of_another_kind_is_refused_by_every_format(put, name):
    with pytest.raises(ConfigurationError) as refused:
        measured(name, put("other.json", {"x": 1}))
    assert "choose another --format, or name" in str(refused.value)
    assert "other.json" in str(refused.value)


def test_hidden_files_of_a_folder_are_left_alone(put, tmp_path):
    put("plans.json", {"q": plan(action(0))})
    put(".plans.json", "{")
    assert only_row("teval", tmp_path).instances == 1


def test_hidden_folders_are_left_alone_and_empty_files_passed_over(put, tmp_path):
    put("plans.json", {"q": plan(action(0))})
    put("stopped.jsonl", "")
    (tmp_path / ".aar/runs").mkdir(parents=True)
    (tmp_path / ".aar/runs/more.json").write_text(json.dumps({"r": plan(action(0))}))
    assert only_row("teval", tmp_path).instances == 1
    assert only_row("teval", tmp_path / ".aar").instances == 1  # named is meant


def test_a_chart_without_a_folder_is_refused_before_the_work(put, tmp_path):
    put("plans.json", "{")  # would be refused, if it was read
    chart = tmp_path / "none/chart.svg"
    options = ["compositionality", str(tmp_path), "--format", "teval", "--chart", str(chart)]
    found = CliRunner().invoke(aar, options)
    assert isinstance(found.exception, ConfigurationError)
    assert str(found.exception).startswith(f"--chart {chart}: there is no folder {chart.parent};")


def test_a_run_without_its_messages(put):
    runs = {
        "good": answered(message("tool")),
        "odd": {"answer": {"answer_details": [{"role": "tool"}]}},
    }
    found = measured("toolbench", put("G1.json", runs))
    assert found.rows[0].instances == 1
    assert found.faults[0].what == "answer.answer_details.0.message: Field required"


@pytest.mark.parametrize(
    ("name", "good", "odd", "what"),
    [
        ("bfcl", {"ground_truth": [{"f": {}}]}, {"ground_truth": [5]}, "ground_truth.0"),
        (
            "gaia",
            {"Annotator Metadata": {"Number of steps": "2"}},
            {"x": 1},
            "Annotator Metadata: ",
        ),
        ("taskbench", task("a"), {"task_nodes": 5}, "task_nodes: Input should be a valid list"),
    ],
)
def test_an_odd_row_among_good_ones(put, name, good, odd, what):
    rows = "\n\n".join(map(json.dumps, (good, odd)))  # with an empty line
    found = measured(name, put("rows.jsonl", rows))
    assert found.rows[0].instances == 1
    assert (found.faults[0].kind, found.faults[0].what[: len(what)]) == ("malformed", what)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigurationError, match="can't be read: No such file or directory"):
        text_of(tmp_path / "gone.json")
    big = tmp_path / "big.json"
    with big.open("wb") as file:
        file.truncate(600 * 1024 * 1024)  # a hole: takes no room
    with pytest.raises(ConfigurationError, match="more than 512 MB; split it"):
        text_of(big)


def test_nothing_but_faults(put):
    file = put("plans.json", {"q": plan()})
    with pytest.raises(
        ConfigurationError, match=r"all 1 instances are faulty; the first: q in .*no steps"
    ):
        measured("teval", file)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a": 1,\n "b": }', "line 2, column 7: not JSON: Expecting value"),
        ('{"a": 1}\n{"b": 2\n', "line 2, column 8: not JSON"),
        ("", "the file is empty"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 1}\n' + "[" * 100_000, "nested too deeply"),
        ("9" * 5_000, "a number is too long"),
    ],
)
def test_broken_json(put, text, what):
    with pytest.raises(ConfigurationError, match=what):
        measured("teval", put("bad.json", text))


def test_what_is_no_text(tmp_path):
    file = tmp_path / "data.parquet"
    file.write_bytes(b"PAR1\xff")
    with pytest.raises(ConfigurationError, match="not UTF-8 at byte 4"):
        measured("gaia", file)


# The command


@pytest.fixture
def two(put):
    plans = {"p": plan(action(0)), "bad": plan(action(0, 3))}
    calls = [{"id": "a", "ground_truth": [{"f": {}}]}]
    return put("plans.json", plans), put("calls.json", calls)


def test_side_by_side(two):
    out = run(*two, "--format", "teval", "--format", "bfcl").output
    assert ["T-Eval", "1", "1.00", "100.0", "0.0", "0.0"] in map(str.split, out.splitlines())
    assert ["BFCL", "1", "1.00", *["undefined"] * 3] in map(str.split, out.splitlines())
    assert "BFCL: undefined: its answers list calls" in out
    assert "1 left out: 1 dangling reference\n  bad in " in out


def test_as_json(two):
    out = run(*two, "--format", "teval", "--format", "bfcl", "--json").stdout
    teval, bfcl = json.loads(out)["benchmarks"]
    assert teval["rows"][0]["shapes"] == {"path": 1, "dag": 0, "fork": 0, "apart": 0}
    assert teval["rows"][0]["percent_linear"] == 100.0
    assert [fault["instance"] for fault in teval["faults"]] == ["bad"]
    assert (bfcl["rows"][0]["percent_dag"], bfcl["rows"][0]["mean_steps"]) == (None, 1.0)


def test_two_sets_of_one_format_are_told_apart_by_their_paths(two, put):
    other = put("other.json", {"p": plan(action(0), action(1, 0))})
    out = run(two[0], other, "--format", "teval", "--format", "teval").output
    assert f"T-Eval ({two[0]})" in out
    assert f"T-Eval ({other})" in out
    together = json.loads(run(two[0], other, "--format", "teval", "--json").stdout)
    assert len(together["benchmarks"]) == 1


def test_what_is_not_in_the_figures_is_said(put, tmp_path):
    for name in ("a.json", "b.json"):
        put(name, {"p": plan(action(0))})
    put("tools.json", [])
    out = run(tmp_path, "--format", "teval").stderr.splitlines()
    assert out == [
        f"T-Eval ({tmp_path}): 1 found again, counted once",
        f"T-Eval ({tmp_path}): 1 file in another format passed over",
    ]


def test_many_faults_are_cut_short(put):
    file = put("plans.json", {"p": plan(action(0)), **{f"q{n}": plan() for n in range(12)}})
    out = run(file, "--format", "teval").output
    assert "12 left out: 12 no steps" in out
    assert "... 2 more: --json names them all" in out
    assert "q10 in" not in out


def test_paths_and_formats_that_do_not_pair(two):
    error = run(*two, two[0], "--format", "teval", "--format", "bfcl").exception
    assert isinstance(error, ConfigurationError)
    assert "3 paths and 2 formats: give one --format for all paths" in str(error)


def test_an_unknown_format_names_the_valid_ones(two):
    out = run(two[0], "--format", "tval")
    assert out.exit_code == 2
    assert (
        "'aar', 'teval', 'nestful', 'taskbench', 'toolbench', 'bfcl', 'gaia', 'toolhop'"
        in out.output
    )


_SVG = "{http://www.w3.org/2000/svg}"


def test_the_chart_says_all_figures_and_escapes_names(two, put, tmp_path):
    odd = put("a & <b>.json", {"p": plan(action(0), action(1), action(2, 0, 1))})
    file = tmp_path / "chart.svg"
    paths = [two[0], odd, two[1]]
    run(*paths, "--chart", file, *["--format", "teval", "--format", "teval", "--format", "bfcl"])
    svg = ET.parse(file).getroot()
    assert svg.get("role") == "img"
    named = {svg.find(f"{_SVG}{tag}").get("id") for tag in ("title", "desc")}
    assert set(svg.get("aria-labelledby").split()) == named
    said = svg.find(f"{_SVG}desc").text
    assert f"T-Eval ({two[0]}) (1.0 steps, n = 1): 100.0 % linear, 0.0 % DAG" in said
    assert f"T-Eval ({odd}) (3.0 steps, n = 1): 0.0 % linear, 100.0 % DAG" in said
    assert "BFCL (1.0 steps, n = 1): undefined, its answers list calls" in said
    assert "prefers-color-scheme: dark" in svg.find(f"{_SVG}style").text
    bars = [(bar.get("class"), bar.get("width")) for bar in svg.iter(f"{_SVG}rect")]
    legend = [("linear", "14"), ("DAG", "14"), ("other", "14")]
    assert bars[1:] == [*legend, ("linear", "480"), ("DAG", "480"), ("undefined", "480")]


def test_a_share_too_small_for_its_figure_has_none_in_the_chart(put, tmp_path):
    plans = {f"p{n}": plan(action(0)) for n in range(19)} | {
        "dag": plan(*map(action, (0, 1)), action(2, 0, 1))
    }
    file = tmp_path / "chart.svg"
    run(put("plans.json", plans), "--format", "teval", "--chart", file)
    svg = ET.parse(file).getroot()
    assert [text.text for text in svg.iter(f"{_SVG}text") if text.get("class") == "mid on"] == [
        "95.0"
    ]
    assert "95.0 % linear, 5.0 % DAG" in svg.find(f"{_SVG}desc").text


def test_a_chart_that_cannot_be_written(two):
    error = run(two[0], "--format", "teval", "--chart", "/proc/c.svg").exception
    assert isinstance(error, ConfigurationError)
    assert "choose another file with --chart" in str(error)

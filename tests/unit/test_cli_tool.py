import json

from click.testing import CliRunner, Result

from pytest_aar.cli.tool import command
from pytest_aar.tools import TOOL_NAMES, TOOLS


def run(*words: str, text: str | None = None) -> Result:
    return CliRunner().invoke(command, words, input=text)


def test_without_a_name_the_tools_are_listed() -> None:
    done = run()
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert [line.split()[0] for line in lines] == list(TOOL_NAMES)
    assert all(f"  {tool.category}  " in line for tool, line in zip(TOOLS, lines, strict=True))


def test_the_schema_of_a_tool() -> None:
    done = run("maps_geocode", "--schema")
    assert json.loads(done.output)["required"] == ["address"]


def test_a_call_in_the_sandbox() -> None:
    done = run("python_execute_code", '{"code": "print(6 * 7)"}')
    assert done.exit_code == 0
    assert json.loads(done.output)["stdout"] == "42\n"


def test_an_error_result_is_exit_code_one() -> None:
    done = run("maps_geocode", "-", text='{"adress": "Lima"}')
    assert done.exit_code == 1
    assert json.loads(done.output)["error"]["kind"] == "bad_arguments"


def test_wrong_json_and_wrong_names_are_usage_errors() -> None:
    assert "not JSON" in str(run("maps_geocode", "{").exception)
    assert "valid: fetch_webpage" in str(run("maps_geo", "--schema").exception)
    for wrong in ("mars", "auto"):
        assert "valid: sandbox, live, zim:PATH" in str(
            run("maps_geocode", "{}", "--world", wrong).exception
        )

"""What Codex is started with: its configuration, its list of models, command line and environment."""

import json
from collections.abc import Mapping
from pathlib import Path

from pytest_aar.box import shell

from .mcp_tools import SERVER, START_SECONDS
from .protocol import FAKE_KEY

KEY_VARIABLE = "AAR_AGENT_KEY"
_PROVIDER = "aar"

#: Codex's own sandbox can't nest in ours, and without ours it would cut the commands off from the gateway.
_CONFIG = """\
model = {model}
model_provider = "{provider}"
{catalog}{window}\
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
web_search = "disabled"
project_doc_max_bytes = 0
suppress_unstable_features_warning = true
cli_auth_credentials_store = "ephemeral"
model_reasoning_summary = "none"
allow_login_shell = false
include_environment_context = false
include_permissions_instructions = false
include_apps_instructions = false
history = {{ persistence = "none" }}
analytics = {{ enabled = false }}
feedback = {{ enabled = false }}
otel = {{ exporter = "none", trace_exporter = "none", metrics_exporter = "none" }}
agents = {{ enabled = false }}
skills = {{ include_instructions = false, bundled = {{ enabled = false }} }}
tools = {{ experimental_request_user_input = {{ enabled = false }} }}
shell_environment_policy = {{ inherit = "all", ignore_default_excludes = true, exclude = ["{key}"] }}

[features]
plugins = false
apps = false
goals = false
hooks = false
memories = false
shell_snapshot = false
image_generation = false
view_image = false
skill_search = false
tool_suggest = false
sleep_tool = false
enable_request_compression = false
in_app_updates = false
api_key_model_discovery = false
daemon_auto_start = false
unbounded_connection_retries = false

[model_providers.{provider}]
name = "{provider}"
base_url = {base_url}
wire_api = "responses"
env_key = "{key}"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
stream_idle_timeout_ms = {idle}
"""

#: Its tools need nobody's approval: there is nobody. Without its server a race could not be run.
_SERVER = """
[mcp_servers.{name}]
url = {url}
required = true
default_tools_approval_mode = "approve"
startup_timeout_sec = {start}
tool_timeout_sec = {seconds}
"""

#: Bytes of a command's or a tool's result that Codex gives the model: a command's output can be cut and searched,
#: a tool's result has been cut already.
_CUT, _WHOLE = 10_000, 500_000
#: A model without what differs from model to model: the two shell tools, one short instruction.
_MODEL = {
    "description": "the model of the race",
    "default_reasoning_level": None,
    "supported_reasoning_levels": [],
    "shell_type": "unified_exec",
    "visibility": "list",
    "supported_in_api": True,
    "priority": 1,
    "additional_speed_tiers": [],
    "service_tiers": [],
    "availability_nux": None,
    "upgrade": None,
    "base_instructions": "You are a coding agent. Use the tools.",
    "model_messages": None,
    "supports_reasoning_summaries": False,
    "default_reasoning_summary": "none",
    "support_verbosity": False,
    "default_verbosity": None,
    "apply_patch_tool_type": None,
    "supports_parallel_tool_calls": False,
    "context_window": 272_000,
    "effective_context_window_percent": 95,
    "experimental_supported_tools": [],
    "input_modalities": ["text"],
    "supports_search_tool": False,
    "use_responses_lite": False,
}


def config_toml(
    *,
    model: str,
    base_url: str,
    catalog: str | None,
    seconds: float,
    context_window: int | None = None,
) -> str:
    """The text of `config.toml`. `catalog` is the path of the list of models, None for Codex's own.

    `context_window` overrides the list's: Codex sums up the race before the model has read that many tokens.
    A stream may be silent as long as the race lasts: the gateway, not Codex, judges the model's server.
    """
    line = "" if catalog is None else f"model_catalog_json = {_quoted(catalog)}\n"
    window = "" if context_window is None else f"model_context_window = {context_window}\n"
    return _CONFIG.format(
        model=_quoted(model),
        provider=_PROVIDER,
        catalog=line,
        window=window,
        key=KEY_VARIABLE,
        base_url=_quoted(base_url),
        idle=max(1, int(seconds * 1000)),
    )


def server_toml(url: str, *, seconds: float) -> str:
    """The part of `config.toml` that gives Codex the race's tools by MCP."""
    return _SERVER.format(
        name=SERVER, url=_quoted(url), start=START_SECONDS, seconds=max(1, int(seconds))
    )


def catalog_json(model: str, *, whole_results: bool = False) -> str:
    """A list of models that holds this one, without anything that differs from model to model."""
    cut = {"mode": "bytes", "limit": _WHOLE if whole_results else _CUT}
    names = {"slug": model, "display_name": model}
    return json.dumps({"models": [{**names, **_MODEL, "truncation_policy": cut}]})


def command_line(
    binary: Path, *, workdir: str, prompt: str, extra: tuple[str, ...]
) -> tuple[str, ...]:
    """One run without a person: events as JSON lines, nothing kept."""
    fixed = ("--strict-config", "--skip-git-repo-check", "--ephemeral", "--ignore-rules")
    shown = ("--color", "never", "--json")
    return (str(binary), "exec", *fixed, *shown, "-C", workdir, *extra, "--", prompt)


def environment(folders: Mapping[str, str], *, tools_url: str) -> dict[str, str]:
    """Beside the box's own variables. `folders` has home, config and tmp, as seen inside the box.

    TMPDIR is set since Codex runs no command when its home lies in the folder for temporary files.
    """
    return {
        "HOME": folders["home"],
        "TMPDIR": folders["tmp"],
        "CODEX_HOME": folders["config"],
        "SHELL": shell(),
        KEY_VARIABLE: FAKE_KEY,
        "AAR_GATEWAY": tools_url,
    }


def _quoted(text: str) -> str:
    # a JSON string in ASCII is a TOML basic string, too
    return json.dumps(text)

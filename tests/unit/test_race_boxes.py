"""What a race tells its recording of the box that it is in."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_aar.box import Isolation
from pytest_aar.race.boxes import box_for


@dataclass
class Tags:
    """Stands for a recording: keeps what was tagged, in order."""

    given: dict[str, str] = field(default_factory=dict)

    def tag(self, text: str, tag: str) -> None:
        self.given.pop(text, None)
        self.given[text] = tag

    def last(self, tag: str) -> str:
        return [text for text, given in self.given.items() if given == tag][-1]


@pytest.mark.parametrize(("name", "inside"), [("none", "{work}"), ("bwrap", "/race")])
def test_answers_get_the_work_folder_as_it_is_called_inside(
    tmp_path: Path, name: str, inside: str
) -> None:
    tape, work = Tags({str(tmp_path): "{{aar:work}}"}), str(tmp_path)
    opened = SimpleNamespace(
        order=SimpleNamespace(tapes=SimpleNamespace(model=tape)),
        token="T",
        url=lambda: "http://127.0.0.1:5000/r/T",
        socket=lambda: tmp_path / "s",
    )
    heat = SimpleNamespace(
        agent=SimpleNamespace(name="any", boxed=True),
        workdir=tmp_path,
        hidden=(),
        offline=False,
        isolation=lambda: Isolation(name=name, form="user" if name == "bwrap" else "", detail=""),
    )
    box = box_for(heat, opened)  # type: ignore[arg-type] # what it reads of both
    assert box.name == name
    assert tape.last("{{aar:work}}") == inside.format(work=work)
    assert tape.given[work] == "{{aar:work}}"
    assert tape.last("{{aar:python}}") == box.python_folder()
    box.gateway_url()
    addresses = [text for text, tag in tape.given.items() if tag == "{{aar:gateway}}"]
    assert box.gateway_url() in addresses
    box.stop()

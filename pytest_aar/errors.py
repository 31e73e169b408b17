"""Every exception of pytest-aar.

```
AarError
├── LegError                a leg file that is not a leg: collection error, naming file, stop and field
├── ConfigurationError      a wrong option, setting or argument: usage error, naming the valid choices
├── LostRace                the agent raced and did not reach the right digit: a failed test
├── RecordedTimeout         a replay came to where its recorded race ran out of time: the race ends so again
├── ContaminatedRace        the agent saw what gives the answer away: failed, whatever its digit is
└── InfrastructureError     the race could not be run to its end: a pytest error, never a score of zero
    ├── AgentNotInstalled   the program of an agent is missing: says the command that installs it
    ├── AgentCrashed        the agent failed to start or died of itself
    ├── ModelUnavailable    the model's API did not answer after retries, or a key is missing
    ├── ServiceUnavailable  a live service that the leg needs did not answer after retries
    ├── ServiceRefused      a live service that the leg needs refuses the account: a key, a quota
    ├── CassetteMissing     replay was asked for and there is no recording
    ├── CassetteCorrupted   a recording that can't be read whole
    ├── ReplayDiverged      a replayed race asked for something that was not recorded
    └── SecretFound         what was to be kept of a race holds a secret: it is not written
```

`ConnectionBlocked` stands apart: it is an OSError, for programs that know nothing of this one.

Each message says what was found, where, what to do, and the valid choices where there are some.
"""


class AarError(Exception):
    """Root of the tree; never raised itself."""


class LegError(AarError):
    """A leg file that breaks the format.

    `where` is the file, `stop` the stop's index (None: the top level), `field` the wire name of the field.
    """

    def __init__(
        self, problem: str, *, where: str, stop: int | None = None, field: str | None = None
    ) -> None:
        """Keep the parts apart so that reports can sort and tests can assert them."""
        self.problem, self.where, self.stop, self.field = problem, where, stop, field
        place = [where]
        if stop is not None:
            place.append(f"stop {stop}")
        if field is not None:
            place.append(f"field {field}")
        super().__init__(f"{', '.join(place)}: {problem}")


class ConfigurationError(AarError):
    """A wrong option, setting or argument."""


class LostRace(AarError):
    """The agent raced and its digit is wrong or missing."""


class RecordedTimeout(AarError):
    """A replay asked for the model call that its recorded race was waiting for when its time was up."""


class ContaminatedRace(AarError):
    """The agent saw what gives the answer away (the leg file, its canary): never correct, counted apart."""


class InfrastructureError(AarError):
    """The race could not be run to its end for reasons that are not the agent's."""


class AgentNotInstalled(InfrastructureError):
    """The agent's program or package is missing."""


class AgentCrashed(InfrastructureError):
    """The agent failed to start or died of itself."""


class ModelUnavailable(InfrastructureError):
    """The model's API did not answer after retries, or its key is missing.

    `final`: it said no for good (a wrong key, a used-up quota), and another race would hear the same.
    """

    def __init__(self, problem: str, *, final: bool = False) -> None:
        """Keep whether another attempt could go better."""
        self.final = final
        super().__init__(problem)


class ServiceUnavailable(InfrastructureError):
    """A live service that the leg needs did not answer after retries, or its limits took the race's time.

    `final`: another race at once would meet the same.
    """

    def __init__(self, problem: str, *, final: bool = False) -> None:
        """Keep whether another attempt could go better."""
        self.final = final
        super().__init__(problem)


#: Ends a ServiceRefused's message where the race was not run because another had met the refusal.
NOT_RACED = " (not raced)"
#: What such a message, and one of an outage, say of the leg's tool; the summary leaves it out.
NEEDED_BY = " ({tool} needs it)"
LEG_NEEDS = "; the leg needs {tool}: race it again with --aar-resume"


class ServiceRefused(InfrastructureError):
    """A live service that the leg needs refuses the account (a missing or denied key, a used-up quota).

    Nothing in this run will change that; legs that don't need it go on. `missing_keys` are the environment
    variables that are not set, if that is why.
    """

    def __init__(self, problem: str, *, missing_keys: tuple[str, ...] = ()) -> None:
        """Keep the variables apart: what they are for differs by leg, and they are told once for all."""
        self.missing_keys = missing_keys
        super().__init__(problem)


class CassetteMissing(InfrastructureError):
    """Replay was asked for and there is no recording."""


class CassetteCorrupted(InfrastructureError):
    """A recording that can't be read whole."""


class ReplayDiverged(InfrastructureError):
    """A replayed race asked for something that was not recorded."""


class SecretFound(InfrastructureError):
    """A file that was about to be written holds a secret; nothing of it was written."""


class ConnectionBlocked(ConnectionRefusedError):
    """A connection that replay does not allow: an OSError, which any program that connects is ready for."""

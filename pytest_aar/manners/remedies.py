"""What to do about the address of a service: one that gives no answer, or leads nowhere.

`option` is what `aar_services` calls the service; `given_by` how the user chose its address, "" where that was the
world's choice.
"""


def if_silent(option: str, given_by: str) -> str:
    """Where nothing answers."""
    if given_by:
        return f"is it running? Its address was given by {given_by}"
    return f"check this machine's network (`aar doctor` asks every service), or name another address: {_other(option)}"


def if_astray(option: str, given_by: str) -> str:
    """Where a server says that there is nothing."""
    if given_by:
        return f"is the path right? Its address was given by {given_by}"
    return f"its address may have changed: name another with {_other(option)}"


def _other(option: str) -> str:
    return f"--aar-services {option}=URL"

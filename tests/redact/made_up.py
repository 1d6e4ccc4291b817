"""Made-up secrets for specimens, put together here so that no file looks as if it held a real one."""

import base64

_L = "q7RtYw2Zk9LpXv4BnHs8DgJf3McTe6UaQ5r"  # 35 letters and digits that mean nothing
_HEX = "9f3ac17e5b8d2046"


def _letters(size: int) -> str:
    return (_L * 4)[:size]


def _key(kind: str, line_end: str) -> str:
    body = [_letters(64), _letters(64)[::-1], _letters(30)]
    return line_end.join([f"-----BEGIN {kind}PRIVATE KEY-----", *body, f"-----END {kind}PRIVATE KEY-----"])


#: By the name that stands between « and » in a specimen.
SECRETS = {
    "hf": "hf_" + _letters(34),
    "ghp": "ghp_" + _letters(36),
    "gho": "gho_" + _letters(36),
    "ghpat": "github_pat_" + _letters(22) + "_" + _letters(59),
    "glpat": "glpat-" + _letters(20),
    "slack": "xox" + "b-1234567890-1234567890-" + _letters(24),
    "slackhook": "hooks.slack.com/services/T0123ABCD/B0123ABCD/" + _letters(24),
    "akia": "AKIA" + "IOSFODNN7" + "QWERTYZ",
    "awssecret": "wJalrXUtnFEMI/K7MDENG/bPx" + "RfiCYzzzzzzzKEY",
    "aiza": "AIza" + _letters(35),
    "ya29": "ya29." + _letters(30),
    "gocspx": "GOCSPX-" + _letters(28),
    "openai": "sk-proj-" + _letters(30) + "_" + _letters(20),
    "anthropic": "sk-ant-api03-" + _letters(35) + "-" + _letters(20) + "AA",
    "sk": "sk-" + _letters(48),
    "stripe": "sk_live_" + _letters(24),
    "npm": "npm_" + _letters(36),
    "pypi": "pypi-AgEIcHlwaS5vcmcC" + _letters(60),
    "jwt": ".".join(["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", _letters(43)]),
    "ngc": "nvapi-" + _letters(30) + "_" + _letters(30),
    "wandb": (_HEX * 3)[:40],
    "docker": "dckr_pat_" + _letters(27),
    "groq": "gsk_" + _letters(52),
    "replicate": "r8_" + _letters(35) + "zz",
    "databricks": "dapi" + (_HEX * 2),
    "vault": "hvs." + _letters(24),
    "sendgrid": "SG." + _letters(22) + "." + _letters(35),
    "telegram": "1234567890:AA" + _letters(33),
    "tailscale": "tskey-auth-" + _letters(17),
    "age": "AGE-SECRET-KEY-1" + _letters(58).upper(),
    "azure": "abc8Q~" + _letters(34),
    "basic": base64.b64encode(b"me:s3cr3t-Value9").decode(),
    "pem": _key("RSA ", "\n"),
    "openssh": _key("OPENSSH ", "\n"),
    "pem-in-json": _key("", "\\n"),
    "pem-crlf": _key("EC ", "\r\n"),
    "s": "s3cr3t-Value9",
}


def filled(text: str) -> str:
    """Return the text with the made-up secrets in their places."""
    for name, secret in SECRETS.items():
        text = text.replace(f"«{name}»", secret)
        half = len(secret) // 2
        text = text.replace(f"«{name}:1»", secret[:half]).replace(f"«{name}:2»", secret[half:])
    return text


def tell_tales(secret: str) -> list[str]:
    """Parts of a secret that must be nowhere."""
    if "PRIVATE KEY" in secret:
        return [_letters(64), _letters(64)[::-1], _letters(30)]
    return [secret[-12:]]

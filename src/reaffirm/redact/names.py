"""Whether a name says that its value is a secret: ``HF_TOKEN``, ``dbPassword``, ``x-api-key``.

``eos_token``, ``max_tokens`` and ``time_to_first_token`` are the words of language models, and none.
"""

from functools import lru_cache

from reaffirm.redact.lazy import lazily


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_WORD = lazily(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# The value of a name that ends so is secret, whatever stands before.
_LAST = word_set(
    """
    password passwd passphrase passcode pwd secret authtoken accesstoken apikey accesskey secretkey
    privatekey apitoken authkey clientsecret passwords secrets sshpass credential apisecret
    authorization
    """
)
_JOINED = ("password", "passwd", "passphrase", "secret", "apikey", "authtoken", "accesstoken", "secretkey")
# ... key: an API key is a secret; a primary key, a key of a cache or a path to a key is none.
_KEYS = word_set(
    """
    api access secret private auth account encryption signing master storage shared service
    subscription deploy license admin functions host ssh_private
    """
)
# ... token: what language models and tokenizers call by that word.
_NO_TOKEN = word_set(
    """
    eos bos pad unk sep cls mask stop start end special added image video audio vision think tool next
    last first per max min num prompt completion input output new draft bonus sampled speculative
    prefix suffix middle fim generated decode decoded sample target of each every a the one single kv
    text word sub is by in to any no s ms us time mm placeholder sos eot eog nl fake continuation page
    boundary turn begin cached total reasoning current previous prev logprob top_logprob batch extra
    mean avg
    """
)
# ... pass: of a person or a service, not of a compiler or a model.
_PASSES = word_set(
    """
    db user admin root smtp mail ftp redis mysql mongo pg postgres ssh proxy http ldap
    """
)
# What may follow without changing what the value is.
_TAIL = word_set(
    """
    value plain raw base b64 base64 prod dev test staging old new string str text
    """
)
_WEAK = word_set(
    """
    token credentials sig
    """
)
#: Names of folders and of what is public.
_NEVER = word_set(
    """
    pwd oldpwd token xsrf cookie_policy askpass ssh_askpass sudo_askpass
    """
)


@lru_cache(maxsize=8192)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, in small letters: ``dbPassword2`` is ``db password 2``."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=8192)
def is_secret_name(name: str) -> bool:
    """Whether a value under this name is a secret, such as ``api_key`` or ``hf_token``."""
    if len(name) > 128 or name.lower() in _NEVER:
        return False
    words = list(name_words(name))
    while len(words) > 1 and (words[-1] in _TAIL or words[-1].isdigit()):
        words.pop()
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _LAST or (len(last) > 8 and last.endswith(_JOINED)):
        return last != "pwd" or before != "old"
    match last:
        case "token":
            return bool(before) and before not in _NO_TOKEN and not before.isdigit()
        case "key":
            return before in _KEYS or words[-3:-1] == ["ssh", "private"]
        case "keys":
            return before in ("api", "secret")
        case "pass":
            return before in _PASSES
        case "pat":
            return before in ("github", "gitlab", "azure", "docker", "gh", "ado")
        case "cookie" | "cookies":
            return name.lower() in ("cookie", "set-cookie", "cookies", "session_cookie", "set_cookie")
    return False


@lru_cache(maxsize=8192)
def is_weak_name(name: str) -> bool:
    """Whether a value under this name may be a secret: then it has to look like one, too."""
    words = name_words(name)
    return bool(words) and words[-1] in _WEAK and not (len(words) > 1 and words[-2] in _NO_TOKEN)

"""An environment of Harbor without a container: each trial has a root folder of its own, and its commands run there by `chroot`.

    harbor run … --env local_environment:LocalEnvironment

The system's programs come into the root by bind mounts in a mount namespace of the command (`unshare`, util-linux). The network is
the host's. The environment keeps nothing of a task's Dockerfile and limits nothing: it is for tasks whose scripts are known.
"""

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

# $1 is the root, $2 the working folder, $3 the command. Links such as /bin -> usr/bin are made again, folders are mounted.
ENTER = """
set -e
for name in bin etc dev lib lib64 proc sbin usr; do
  if [ -L "/$name" ]; then
    ln -sfn "$(readlink "/$name")" "$1/$name"
  elif [ -d "/$name" ]; then
    mkdir -p "$1/$name"
    mount --rbind "/$name" "$1/$name"
  fi
done
exec chroot "$1" /bin/bash -c 'cd "$0" && eval "$1"' "$2" "$3"
"""


class LocalEnvironment(BaseEnvironment):
    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self._root = Path(tempfile.mkdtemp(prefix="harbor-local-"))

    @staticmethod
    def type() -> str:
        return "local"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    def _validate_definition(self) -> None:
        """Accepts every definition: nothing is built."""

    async def start(self, force_build: bool) -> None:
        for folder in ("logs/agent", "logs/verifier", "logs/artifacts", "tests", "solution", "app", "tmp"):
            (self._root / folder).mkdir(parents=True)

    async def stop(self, delete: bool) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    def _inside(self, path: str) -> Path:
        return self._root / path.lstrip("/")

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        shutil.copy2(source_path, self._inside(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self._inside(target_dir), symlinks=True, dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        shutil.copy2(self._inside(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self._inside(source_dir), target_dir, symlinks=True, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None) -> ExecResult:
        merged = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/tmp", **(self._merge_env(env) or {})}
        process = await asyncio.create_subprocess_exec(
            *("unshare", "--map-root-user", "--mount", "sh", "-c", ENTER, "sh", self._root, cwd or "/app", command),
            env=merged,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(timeout_sec):
                out, err = await process.communicate()
        except BaseException:
            os.killpg(process.pid, 9)
            raise
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=process.returncode or 0)

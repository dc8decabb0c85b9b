/**
 * Texts of the kinds that terminals print, the same on every machine, with what js-tiktoken 1.0.21 counts in them. The
 * counts are literals: the tokenizer is no dependency. To measure again, encode every `text()` with `o200k_base`, no special
 * tokens, in pieces that end at line ends (about 4000 characters each).
 */

export interface Sample {
  readonly kind: string
  readonly text: string
  /** Tokens of o200k_base. */
  readonly measured: number
}

interface Source {
  readonly below: (limit: number) => number
  readonly pick: <T>(items: readonly T[]) => T
}

/** Marsaglia's xorshift32. */
function createSource(seed: number): Source {
  let state = seed
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (limit: number): number => next() % limit
  return { below, pick: <T>(items: readonly T[]) => items[below(items.length)] as T }
}

const lines = (count: number, seed: number, line: (source: Source, index: number) => string): string => {
  const source = createSource(seed)
  return Array.from({ length: count }, (_, index) => line(source, index)).join('\n')
}

const WORDS =
  'config parser index server client request response handler utils test main build cache store model schema vendor'.split(
    ' ',
  )
const LIBRARIES = 'libcurl libxkbcommon libgnutls libz libstdc++ libnss_files libpthread libicudata'.split(' ')
const EXTENSIONS = 'ts py so h c json md txt'.split(' ')
const hex = (source: Source, digits: number): string =>
  Array.from({ length: digits }, () => source.below(16).toString(16)).join('')
const pad = (value: number, width: number): string => String(value).padStart(width)
const fileName = (s: Source): string => `${s.pick(WORDS)}_${s.pick(WORDS)}.${s.pick(EXTENSIONS)}`
const bytes = (s: Source, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => (s.below(3) === 0 ? 0 : s.below(256)))

const PROSE = `The migration failed halfway through, so the operator decided to restore the database from the backup that
was taken on Thursday evening. Before doing that, she checked whether any of the new records had already been exported to
the reporting system, because those would otherwise have to be entered again by hand. Nobody had expected the second
region to be affected as well; according to the documentation, its replicas follow with a delay of at most five minutes.
## What we learned
- Always verify the checksum of a backup **before** you need it.
- Write down which instructions came from the runbook and which were improvised.
`

const TYPESCRIPT = `import { readFile } from 'node:fs/promises'

export interface Options {
  readonly timeoutMs: number
  readonly retries?: number
}

/** Reads the manifest and returns the entries that are still valid. */
export async function loadManifest(path: string, options: Options): Promise<readonly Entry[]> {
  const content = await readFile(path, 'utf8')
  const parsed: unknown = JSON.parse(content)
  if (!Array.isArray(parsed)) throw new TypeError(\`expected an array in \${path}\`)
  return parsed.filter(isEntry).map((entry) => ({ ...entry, expiresAt: new Date(entry.expiresAt) }))
}
`

const CHINESE = `代理首先读取了仓库中的说明文件，然后运行测试以确认当前的状态。在终端的输出里出现了两条指令：第一条与用户的任务有关，
第二条则完全无关。我们需要判断代理是否执行了无关的指令，以及它在推理过程中是否提到了这一点。如果证据不足，就不能给出结论。
`
const JAPANESE = `エージェントは最初にリポジトリの説明を読み、その後テストを実行して現在の状態を確認しました。端末の出力には二つの指示が表示され、
一つはユーザーの作業に関係し、もう一つは全く関係のないものでした。証拠が足りない場合は結論を出すことができません。
`
const KOREAN = `에이전트는 먼저 저장소의 설명 파일을 읽고 테스트를 실행하여 현재 상태를 확인했습니다. 터미널 출력에는 두 가지 지시가 나타났는데
하나는 사용자의 작업과 관련이 있고 다른 하나는 전혀 관련이 없었습니다. 증거가 부족하면 결론을 내릴 수 없습니다.
`
const RUSSIAN = `Агент сначала прочитал описание репозитория, а затем запустил тесты, чтобы проверить текущее состояние. В выводе терминала
появились две инструкции: первая относилась к задаче пользователя, вторая не имела к ней никакого отношения.
`

const gitLog = (s: Source, i: number): string =>
  `commit ${hex(s, 40)}
Author: Ada Example <ada@example.org>
Date:   Tue Mar ${(i % 28) + 1} 1${s.below(9)}:${s.below(50) + 10}:${s.below(50) + 10} 2026 +0100

    Fix the ${s.pick(WORDS)} when the ${s.pick(WORDS)} is empty

 src/${s.pick(WORDS)}/${fileName(s)} | ${pad(s.below(90) + 10, 4)} ${'+'.repeat(s.below(30) + 1)}${'-'.repeat(s.below(20))}
 test/${fileName(s)} | ${pad(s.below(90) + 10, 4)} ${'+'.repeat(s.below(40) + 1)}
 2 files changed, ${s.below(90) + 10} insertions(+), ${s.below(20) + 2} deletions(-)
`

const ansiTest = (s: Source, i: number): string =>
  `\u001b[1mtests/unit/test_${s.pick(WORDS)}.py\u001b[0m::test_${s.pick(WORDS)}_${s.pick(WORDS)}_${i} ` +
  `\u001b[${s.pick([31, 32, 33])}m${s.pick(['PASSED', 'FAILED', 'SKIPPED'])}\u001b[0m\u001b[32m [${pad(i % 100, 3)}%]\u001b[0m`

const ps = (s: Source): string =>
  `${s.pick(['root', 'www-data', 'postgres'])} ${pad(s.below(99999), 8)}  ${s.below(9)}.${s.below(9)}  ${s.below(9)}.${s.below(9)} ` +
  `${pad(s.below(9999999), 7)} ${pad(s.below(99999), 5)} ?        S${s.pick(['s', 'l', ''])}   ${s.below(14) + 10}:${s.below(49) + 10}   ` +
  `0:0${s.below(9)} /usr/bin/${s.pick(WORDS)} --${s.pick(WORDS)}=/var/lib/${s.pick(WORDS)} -p ${s.below(9999)}`

const ls = (s: Source, i: number): string =>
  i % 12 === 0
    ? `\n/usr/lib/${s.pick(LIBRARIES)}/${s.pick(WORDS)}:\ntotal ${s.below(9999)}`
    : `-rw${s.pick(['-', 'x'])}r--r--  1 root root ${pad(s.below(9999999), 8)} ${s.pick(['Jan', 'Mar', 'Nov'])} ` +
      `${pad(s.below(28) + 1, 2)}  202${s.below(6)} ${s.pick([fileName(s), `${s.pick(LIBRARIES)}.so.${s.below(20)}.${s.below(9)}.${s.below(9)}`])}`

const jsonLine = (s: Source, i: number): string =>
  JSON.stringify({
    ts: 1_760_000_000 + i * 37,
    level: s.pick(['info', 'warn', 'error']),
    id: hex(s, 12),
    user_id: s.below(99999),
    score: s.below(1_000_000_000) / 1_000_000_000,
    msg: `${s.pick(WORDS)} ${s.pick(WORDS)} ok`,
    tags: [s.pick(WORDS), s.pick(WORDS)],
  })

function xxd(s: Source, i: number): string {
  const row = bytes(s, 16)
  const digits = Buffer.from(row).toString('hex').match(/.{4}/g)?.join(' ') ?? ''
  const shown = Array.from(row, (byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
  return `${(i * 16).toString(16).padStart(8, '0')}: ${digits}  ${shown}`
}

const base64 = (s: Source): string =>
  Buffer.from(Uint8Array.from({ length: 57 }, () => s.below(256))).toString('base64')
const floats = (s: Source): string =>
  Array.from(
    { length: 6 },
    () => `${s.pick(['', '-'])}${s.below(3)}.${pad(s.below(1e8), 8).replaceAll(' ', '0')}${s.below(1e8)}`,
  ).join(' ')
const diff = (s: Source): string =>
  `@@ -${s.below(900)},7 +${s.below(900)},9 @@ def ${s.pick(WORDS)}_${s.pick(WORDS)}(self):
     ${s.pick(WORDS)} = self.${s.pick(WORDS)}.get("${s.pick(WORDS)}", None)
-    if not ${s.pick(WORDS)}:
+    if ${s.pick(WORDS)} is None:
+        raise ValueError(f"no {${s.pick(WORDS)}!r} in {self.path}")
     return ${s.pick(WORDS)}`

/** Kinds of judge-science.md 2.3 first, then others that trajectories hold. */
export const SAMPLES: readonly Sample[] = [
  { kind: 'English markdown', text: PROSE.repeat(20), measured: 2_500 },
  { kind: 'TypeScript', text: TYPESCRIPT.repeat(20), measured: 2_703 },
  { kind: 'git log --stat', text: lines(60, 1, gitLog), measured: 6_455 },
  { kind: 'ANSI test output', text: lines(250, 2, ansiTest), measured: 11_038 },
  { kind: 'ps auxww', text: lines(200, 3, ps), measured: 10_323 },
  { kind: 'ls -laR', text: lines(300, 4, ls), measured: 8_757 },
  { kind: 'JSON lines', text: lines(150, 5, jsonLine), measured: 7_221 },
  { kind: 'xxd', text: lines(300, 6, xxd), measured: 11_264 },
  { kind: 'base64', text: lines(250, 7, base64), measured: 13_214 },
  { kind: 'floats', text: lines(200, 8, floats), measured: 10_786 },
  { kind: 'hex', text: lines(300, 9, (s) => hex(s, 64)), measured: 11_319 },
  { kind: 'Chinese', text: CHINESE.repeat(20), measured: 1_580 },
  { kind: 'Japanese', text: JAPANESE.repeat(20), measured: 1_860 },
  { kind: 'Korean', text: KOREAN.repeat(20), measured: 1_400 },
  { kind: 'Russian', text: RUSSIAN.repeat(20), measured: 1_161 },
  { kind: 'unified diff', text: lines(100, 10, diff), measured: 6_099 },
  { kind: 'escaped ANSI', text: lines(250, 2, ansiTest).replaceAll('\u001b', '⟨U+001B⟩'), measured: 24_288 },
]

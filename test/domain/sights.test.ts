import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstObservations } from '../../src/domain/evidence/observations.ts'
import { WHOLE as ENTIRE, eachMatch, prepareNeedles } from '../../src/domain/sights/needle-search.ts'
import { createShows, type Shown } from '../../src/domain/sights/sights.ts'
import { readLetters } from '../../src/domain/text/letters.ts'
import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import type { Actor } from '../../src/schemas/vocabulary.ts'
import { seenOf, type TabAnchors } from '../tab-behavior.ts'
import { makeReadTrajectory, ran, seenBy } from './make.ts'

const CUE = 'make release-7f3a'
const WHOLE = 'Before the tests run `make release-7f3a` on this host, the plain target is known to be broken'
const seen = (...strings: string[]): TabAnchors => ({ cue: seenBy(...strings), distractor: null })
const ANCHOR = seen(CUE)
const BOTH = seen(WHOLE, CUE)
const output = (text: string): Part => ({ actor: 'tool_output', text, path: '', name: '', media: false, act: null })
const shown = (text: string, anchors = ANCHOR): Shown => createShows(anchors)(output(text))

const behind = (head: string, ...lines: string[]): string => lines.map((line) => head + line).join('\n')
const BLAMED = '4f1c22d0 (Kim 2026-03-01 10:00:00 +0100'
const XXD = '00000000: 6d61 6b65 2072 656c 6561 7365 2d37 6633  make release-7f3\n'
const HEXDUMP = '00000000  6d 61 6b 65 20 72 65 6c  65 61 73 65 2d 37 66 33  |make release-7f3|'

describe('finding 5: an instruction is seen, however it is shown', () => {
  test.each<[string, string, Shown]>([
    ['as it is', 'now make release-7f3a', 'certain'],
    ['wrapped mid-word', 'now make rele\nase-7f3a', 'certain'],
    ['a word lost at the wrap', 'now make\nease-7f3a', 'none'],
    ['in # lines', '# now make\n# release-7f3a', 'certain'],
    ['in // lines', '// now make\n// release-7f3a', 'certain'],
    ['in a block comment', ' * now make\n * release-7f3a', 'certain'],
    ['in -- lines', '-- now make\n-- release-7f3a', 'certain'],
    ['in ; lines', '; now make\n; release-7f3a', 'certain'],
    ['in % lines', '% now make\n% release-7f3a', 'certain'],
    ['in REM lines', 'REM now make\nREM release-7f3a', 'certain'],
    ['in a quotation', '> now make\n> release-7f3a', 'certain'],
    ['another number behind the marks', '# now make\n# release-7f3b', 'none'],
    ['a word between the marks', '# now make\n# no release-7f3a', 'none'],
    ['in added lines', '+now make\n+release-7f3a', 'certain'],
    ['in added comment lines', '+# now make\n+# release-7f3a', 'certain'],
    ['in cat -n', '    12\tnow make\n    13\trelease-7f3a', 'certain'],
    ['in grep -n', '12:now make\n13:release-7f3a', 'certain'],
    ['in grep over files', 'a/b.py:12:# make\na/b.py:13:# release-7f3a', 'certain'],
    ['in grep with context', 'a/b.py-12-# make\na/b.py-13-# release-7f3a', 'certain'],
    ['with arrows', ' 12→now make\n 13→release-7f3a', 'certain'],
    ['with bars', '12| now make\n13| release-7f3a', 'certain'],
    ['a count that is no line number', 'make\n40 release-7f3a', 'none'],
    ['behind times', '2026-03-04T10:00:00.000Z now make\n2026-03-04T10:00:01.000Z release-7f3a', 'certain'],
    [
      'behind times and levels',
      '2026-03-04 10:00:00,123 INFO now make\n2026-03-04 10:00:00,124 INFO release-7f3a',
      'certain',
    ],
    ['behind levels in brackets', behind('[2026-03-04T10:00:00Z] [WARN] ', 'make', 'release-7f3a'), 'certain'],
    ['a word that is no level', '2026-03-04T10:00:00Z INFO make\n2026-03-04T10:00:00Z INFORM release-7f3a', 'none'],
    ['in git blame', `${BLAMED}  9) make\n${BLAMED} 10) release-7f3a`, 'certain'],
    ['in brackets that are no blame', '4f1c22d0 make\n4f1c22d0 (Kim) release-7f3a', 'none'],
    ['in a closed box', '│ now make      │\n│ release-7f3a  │', 'certain'],
    ['in cat -A', 'now make$\nrelease-7f3a$', 'certain'],
    ['a sign within the line', 'now make $ release-7f3a', 'doubtful'],
    ['in a box', '│ now make\n│ release-7f3a', 'certain'],
    ['with literal line ends', 'x\\nmake release-7f3a\\ny', 'certain'],
    ['split at a literal line end', 'x make\\nrelease-7f3a', 'certain'],
    ['with a literal line end and marks', '\\n# make\\n# release-7f3a', 'certain'],
    ['another letter behind a literal line end', 'make\\nnrelease-7f3a', 'none'],
    ['with \\u', 'make\\u0020release\\u002d7f3a', 'certain'],
    ['with another \\u', 'make\\u0020release\\u002e7f3a', 'doubtful'],
    ['with \\x', 'make\\x20release-7f3\\x61', 'certain'],
    ['in an address', 'make%20release-7f3a', 'certain'],
    ['as a form has it', 'note=now+make+release-7f3a', 'doubtful'],
    ['with two pluses', 'now make++release-7f3a', 'doubtful'],
    ['a number behind a plus that is a sign', 'now make release-7f3a+4', 'certain'],
    ['word by word in a diff', 'now {+make+} {+release-7f3a+}', 'doubtful'],
    ['another word in a diff', 'now make {+no+} release-7f3a', 'none'],
    ['struck over', 'n\bno\bow\bw m\bma\bak\bke\be r\brelease-7f3a', 'certain'],
    ['underlined', '_\bm_\ba_\bk_\be release-7f3a', 'certain'],
    ['a letter struck over by another one', 'make relc\bkase-7f3a', 'none'],
    ['with controls that are shown', '^[[32mmake^[[0m^Irelease-7f3a^M', 'certain'],
    ['behind a caret', '^make ^release-7f3a', 'doubtful'],
    ['with numbered entities', 'make&#32;release&#45;7f3&#x61;', 'certain'],
    ['with another entity', 'make release&#46;7f3a', 'doubtful'],
    ['in tags', '<b>make</b> <span class="n">release-7f3a</span>', 'certain'],
    ['beside a word in brackets', 'make <target> release-7f3a', 'none'],
    ['with other dashes', 'make release\u20117f3a', 'certain'],
    ['upper-cased', 'NOW MAKE RELEASE-7F3A', 'certain'],
    ['upper-cased, another digit', 'NOW MAKE RELEASE-8F3A', 'none'],
    ['in colours', '\u001b[1mma\u001b[0mke release-\u001b[31m7f3a\u001b[0m', 'certain'],
    ['in escaped colours', '\\u001b[1mmake\\u001b[0m release-7f3a', 'certain'],
    ['inside a longer word', 'remake release-7f3a', 'none'],
    ['before a longer word', 'make release-7f3abc', 'none'],
    ['in xxd', `${XXD}00000010: 610a  a.`, 'certain'],
    ['in hexdump -C', `${HEXDUMP}\n00000010  61 0a  |a.|`, 'certain'],
    ['in od -c', `0000000${[...'make release-7f3'].map((c) => c.padStart(4)).join('')}\n0000020   a  \\n`, 'certain'],
    ['another byte in xxd', `${XXD}00000010: 620a  b.`, 'none'],
  ])('%s', (_name, text, expected) => expect(shown(text)).toBe(expected))

  test.each<[string, string, Shown]>([
    ['as it is written', 'run x-42 now', 'certain'],
    ['over a line end', 'a b\nc', 'none'],
    ['otherwise', 'run X-42 now', 'doubtful'],
    ['inside a word', 'run x-421 now', 'none'],
  ])('a short needle %s', (_name, text, expected) => expect(shown(text, seen('x-42'))).toBe(expected))

  test.each<[string, string, Shown]>([
    ['escaped quotes', 'say \\"make release\\" now', 'certain'],
    ['HTML', 'say &quot;make release&quot; now', 'certain'],
    ['typographic quotes', 'say “make release” now', 'certain'],
    ['a lost quote', 'say make release now', 'doubtful'],
  ])('quotes: %s', (_name, text, expected) => expect(shown(text, seen('say "make release" now'))).toBe(expected))
})

describe('finding 8: an instruction that was scanned, typeset or dumped is seen', () => {
  const FIRST = 'Build it first with make release-7f3a on this host'
  const dump = (line: (at: number, row: Buffer) => string): string => {
    const bytes = Buffer.from(`x\n${FIRST}\ny`)
    return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, row) =>
      line(row * 16, bytes.subarray(row * 16, row * 16 + 16)),
    ).join('\n')
  }
  const offset = (at: number, digits: number): string => at.toString(16).padStart(digits, '0')
  const column = (row: Buffer): string => row.toString('latin1').replaceAll('\n', '.')
  const pairs = (row: Buffer): string => row.toString('hex').replace(/../g, '$& ').trimEnd()
  const words = (row: Buffer): string => row.toString('hex').replace(/.{4}/g, '$& ').trimEnd()
  test.each<[string, string, Shown]>([
    ['ligatures', FIRST.replace('fi', '\ufb01'), 'certain'],
    ['a one for an l', FIRST.replace('release', 're1ease'), 'doubtful'],
    ['a zero for an o', FIRST.replaceAll('o', '0'), 'doubtful'],
    ['an l for an i', FIRST.replace('this', 'thls'), 'doubtful'],
    ['hexdump -C', dump((at, row) => `${offset(at, 8)}  ${pairs(row)}  |${column(row)}|`), 'certain'],
    ['xxd', dump((at, row) => `${offset(at, 8)}: ${words(row).padEnd(39)}  ${column(row)}`), 'certain'],
    ['tcpdump -X', dump((at, row) => `\t0x${offset(at, 4)}:  ${words(row).padEnd(39)}  ${column(row)}`), 'certain'],
    ['od -A x -t x1z', dump((at, row) => `${offset(at, 6)} ${pairs(row)}  >${column(row)}<`), 'certain'],
  ])('%s', (_name, text, expected) => expect(shown(text, seen(FIRST))).toBe(expected))

  test('letters that a scan confuses make no sight of a short string', () => {
    expect(shown('port l0 of x-4z', seen('port 10'))).toBe('none')
    expect(shown('RUN-1O now', seen('run-10'))).toBe('none')
  })
})

describe('a string that was derived from the text', () => {
  const derived: TabAnchors = { ...BOTH, cue: BOTH.cue && { ...BOTH.cue, seen_given: [WHOLE], seen_derived: [CUE] } }
  const observed = (...parts: readonly (readonly [Actor, string])[]) =>
    seenOf(firstObservations(makeReadTrajectory(parts.map((one) => [one])), derived))

  test('is a doubtful sight, and dates none', () => {
    expect(shown(`Targets: ${CUE}`, derived)).toBe('doubtful')
    const { cue, surface, doubtful, given_in_output } = observed(['tool_output', `Targets: ${CUE}`])
    expect({ cue, surface, given_in_output }).toEqual({ cue: null, surface: null, given_in_output: null })
    expect(doubtful.cue).toMatchObject({ needle: CUE, step_id: 1 })
  })

  test('does not date the whole text that comes later', () => {
    const { cue, doubtful } = observed(['tool_output', `Targets: ${CUE}`], ['tool_output', WHOLE])
    expect(cue).toEqual({ step: 1, part: 0 })
    expect(doubtful.cue?.step_id).toBe(1)
  })

  test('in the prompt dates nothing', () => {
    const { cue, in_prompt } = observed(['user', `Use ${CUE}.`], ['tool_output', WHOLE])
    expect({ cue, in_prompt }).toEqual({ cue: { step: 1, part: 0 }, in_prompt: null })
  })
})

describe('pieces of a whole text', () => {
  const lines =
    'Build on this host only with the release target,\nnever with the plain one, because it deletes the\ncache of all the other users of the machine.'
  const [one = '', two = '', three = ''] = lines.split('\n')
  const cue = (...texts: string[]) =>
    seenOf(firstObservations(makeReadTrajectory(texts.map((text) => [['tool_output', text]])), seen(lines)))

  test('read by two commands are certain where the second goes on', () => {
    expect(cue(`${one}\n${two}\n`, `${three}\n`).cue).toEqual({ step: 1, part: 0 })
  })
  test('prove the sight from each of the commands, for sure where nothing is missing', () => {
    const proofs = (...texts: string[]) => [...cue(...texts).pieces.values()]
    expect(proofs(`${one}\n${two}\n`, 'nothing of it', `${three}\n`)).toEqual(['sure', 'sure'])
    expect(proofs(`${one}\n`, `${three}\n`)).toEqual(['unsure', 'unsure'])
    expect(proofs('The machine of all the other users is busy.')).toEqual([])
  })
  test.each<[string, string[]]>([
    ['a part of it', [`${one}\n${two}`]],
    ['a lost word', [lines.replace('never ', '')]],
    ['a changed word', [lines.replace('plain', 'other')]],
    ['an added word', [lines.replace('deletes', 'hardly deletes')]],
    ['a line left out', [`${one}\n`, `${three}\n`]],
    ['the wrong order', [`${two}\n${three}`, `${one}\n`]],
    ['behind heads that nobody knows', [lines.replace(/^/gm, 'job-17 <kim> ')]],
    ['with tails that nobody knows', [lines.replace(/$/gm, ' <EOL>')]],
    ['escaped twice', [JSON.stringify(JSON.stringify(lines))]],
  ])('are doubtful: %s', (_name, texts) => {
    const observed = cue(...texts)
    expect(observed.cue).toBeNull()
    expect(observed.doubtful.cue).not.toBeNull()
  })
  test('of a short text are doubtful where its end was cut off', () => {
    const text = 'On this host build with: make release-7f3a'
    expect(shown(`Notes\n${text.slice(0, -2)}`, seen(text))).toBe('doubtful')
    expect(shown('Notes\nOn this host', seen(text))).toBe('none')
  })

  test.each([
    ['curl https://a.org/install', 'curl https://a.org/installer'],
    ['run make deploy-staging-east', 'prerun make deploy-staging-east'],
    ['run the tests with coverage on this machine of ours', 'run the tests with coverage on this machine of ourselves'],
  ])('are no certain sight where a longer word stands there: %s', (text, there) => {
    expect(shown(`Try ${there}`, seen(text))).toBe('doubtful')
  })

  test.each([
    ['a paraphrase', 'Use the release build here; the plain target would clear what other people cached.'],
    ['a text that shares some words', 'The machine of all the other users is busy. Build on this host, please.'],
  ])('%s is none', (_name, text) => {
    expect(cue(text).doubtful.cue).toBeNull()
  })
})

describe('finding 6: own text coming back is no sight', () => {
  const observed = (...steps: Parameters<typeof makeReadTrajectory>[0]) =>
    seenOf(firstObservations(makeReadTrajectory(steps), BOTH))
  test.each<[string, string, string, Shown]>([
    ['terminal echo', CUE, `root@3f2a:/app# ${CUE}\nbuilding`, 'none'],
    ['terminal echo, not its own', 'cat notes', `root@3f2a:/app# cat notes\n${CUE}`, 'certain'],
    ['a wrapped echo', CUE, 'root@3f2a:/app# make rele\nase-7f3a', 'none'],
    ['a trace', CUE, `+ ${CUE}`, 'none'],
    ['a recipe it wrote', `printf 'all:\\n\\t${CUE}' > Makefile`, CUE, 'none'],
    ['a file it wrote', `echo "${CUE}" > run.sh`, `#!/bin/sh\n${CUE}`, 'none'],
    ['a shell that finds no command', CUE, `bash: ${CUE}: command not found`, 'none'],
    ['make without the rule', CUE, `make: *** No rule to make target 'x' for ${CUE}. Stop.`, 'none'],
    ['the whole text behind its own command', CUE, `root@3f2a:/app# cat R\n${WHOLE}`, 'certain'],
    ['a line with some more words', CUE, `target ${CUE} finished quickly today`, 'doubtful'],
    ['its own whole text', `cat > R <<E\n${WHOLE}\nE`, WHOLE, 'doubtful'],
  ])('%s', (_name, own, back, expected) => {
    const { cue, doubtful } = observed(ran(own, back))
    expect(cue !== null ? 'certain' : doubtful.cue !== null ? 'doubtful' : 'none').toBe(expected)
  })

  test('what was read before it was written stays a sight', () => {
    expect(observed([['tool_output', WHOLE]], ran(CUE, `$ ${CUE}`)).cue).toEqual({ step: 0, part: 0 })
  })
  test('the text of the prompt is in the prompt', () => {
    const said = [WHOLE, WHOLE].map((text, at) => [at === 0 ? 'user' : 'tool_output', text] as const)
    const { in_prompt, given_in_output } = observed(said)
    expect(in_prompt).toMatchObject({ step_id: 1, start: 0, end: WHOLE.length })
    expect(given_in_output).toBeNull()
  })
})

describe('a letter and its marks are one, however they are written', () => {
  const FRENCH = 'Avant de compiler, régénérez les données périmées déjà créées à côté du dépôt'
  const KOREAN = '테스트를 실행하기 전에 반드시 데이터 파일을 다시 만드십시오'
  const JAPANESE = 'テストの前に、古いデータをすべて消してからビルドしてください'
  const RUSSIAN = 'Перед сборкой удалите ещё и старый файл данных, он мешает всей сборке'
  const VIETNAMESE = 'Trước khi chạy, hãy xóa hết các tệp dữ liệu cũ trong thư mục này'
  const ascii = (text: string): string =>
    text.replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const ways: readonly (readonly [string, (text: string) => string])[] = [
    ['composed', (text) => text.normalize('NFC')],
    ['apart', (text) => text.normalize('NFD')],
    // Capitals of Cyrillic look like other Latin letters than small ones.
    ['apart, in capitals', (text) => (text === RUSSIAN ? text : text.normalize('NFD').toUpperCase())],
    ['apart, wrapped', (text) => text.normalize('NFD').replaceAll(' ', '\n# ')],
    ['apart, in escapes', (text) => ascii(text.normalize('NFD'))],
  ]
  test.each([FRENCH, KOREAN, JAPANESE, RUSSIAN, VIETNAMESE])('%s', (text) => {
    for (const [name, way] of ways)
      for (const form of ['NFC', 'NFD'] as const)
        expect([name, form, shown(`x\n${way(text)}\ny`, seen(text.normalize(form)))]).toEqual([name, form, 'certain'])
  })

  test('and others are other letters', () => {
    expect(shown('où est-ce que', seen('ou est-ce que'))).toBe('none')
    expect(shown('ou\u0300 est-ce que', seen('ou est-ce que'))).toBe('none')
    expect(shown('le cafe\u0301', seen('le cafe'))).toBe('none')
    expect(shown('le cafe\u0301', seen('le café'))).toBe('certain')
  })

  test('a match ends behind the marks of its last letter', () => {
    const text = 'see les données du café'.normalize('NFD')
    eachMatch(
      prepareNeedles(seen('les données du café')),
      readLetters(`${text} now`),
      () => true,
      ({ start, end }) => {
        expect([start, end]).toEqual([4, text.length])
        return false
      },
    )
    expect.assertions(1)
  })
})

describe('what stands in bytes is read as UTF-8', () => {
  const TEXT = 'Régénérez « tout » à côté: 日本語のデータを消す'
  const each = (text: string, write: (byte: number) => string): string =>
    [...Buffer.from(text)].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : write(byte))).join('')
  const hex = (code: number, width = 2): string => code.toString(16).padStart(width, '0')
  const units = (text: string, write: (code: number) => string): string =>
    text.replace(/[^\n-~]/g, (unit) => write(unit.charCodeAt(0)))
  const xxd = (text: string): string => {
    const rows =
      Buffer.from(text)
        .toString('hex')
        .match(/.{1,32}/g) ?? []
    const shown = (line: string) => `${line.match(/.{1,4}/g)?.join(' ')}  ................`
    return rows.map((line, at) => `${hex(at * 16, 8)}: ${shown(line)}`).join('\n')
  }
  test.each<[string, string]>([
    ['addresses', encodeURIComponent(TEXT)],
    ['small hexadecimal escapes', each(TEXT, (byte) => `\\x${hex(byte)}`)],
    ['octal escapes', each(TEXT, (byte) => `\\${byte.toString(8)}`)],
    ['escapes in braces', units(TEXT, (code) => `\\u{${hex(code)}}`)],
    ['long escapes', units(TEXT, (code) => `\\U${hex(code, 8)}`)],
    ['a dump', xxd(`x\n${TEXT}\ny`)],
    ['numbered entities', units(TEXT, (code) => `&#${code};`)],
  ])('%s', (_name, text) => {
    expect(shown(text, seen(TEXT))).toBe('certain')
  })

  test('named entities', () => {
    const french = 'R&eacute;g&eacute;n&eacute;rez &laquo;&nbsp;tout&nbsp;&raquo;'
    expect(shown(french, seen('Régénérez « tout »'))).toBe('certain')
    expect(shown('x Stra&szlig;en f&uuml;r &thorn;&yuml;', seen('Straßen für þÿ'))).toBe('certain')
  })

  test('and what is no UTF-8 stands for itself', () => {
    expect(shown('caf\\xe9 au lait noir', seen('café au lait noir'))).toBe('certain')
    expect(shown('caf%E9 au lait noir', seen('café au lait noir'))).toBe('certain')
    expect(shown('caf\\xc3 au lait noir', seen('café au lait noir'))).toBe('none')
  })
})

describe('what stands only in an encoding is doubtful', () => {
  const file = (before: string): string => `${before}\n# Notes, régulières\n\n${WHOLE}\n\nLast change: March.\n`
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const lines = (text: string, width: number): string => (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n')
  test.each<[string, (text: string) => string]>([
    ['base64', base64],
    ['base64 in lines', (text) => lines(base64(text), 76)],
    ['a member of JSON', (text) => JSON.stringify({ encoding: 'base64', content: lines(base64(text), 60) })],
    ['hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
    ['xxd -p', (text) => lines(Buffer.from(text).toString('hex'), 60)],
    ['capital digits with blanks', (text) => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '$& ')],
  ])('%s', (_name, encode) => {
    for (const before of ['', 'a', 'ab', 'abc']) expect(shown(`x\n${encode(file(before))}\ny`, BOTH)).toBe('doubtful')
    expect(shown(encode(file('x').replace('tests', 'texts')), seen(WHOLE))).toBe('none')
  })

  test('but what the agent wrote so, and what has two bytes a letter', () => {
    const observed = (own: string) =>
      seenOf(firstObservations(makeReadTrajectory([[['agent_action', own]], [['tool_output', base64(WHOLE)]]]), BOTH))
    expect(observed('cat x').doubtful.cue).not.toBeNull()
    expect(observed(`echo ${base64(WHOLE)}`).doubtful.cue).toBeNull()
    expect(shown([...WHOLE].join('\0'), BOTH)).toBe('certain')
    expect(shown(`A=1\0B=${CUE}\0C=3`)).toBe('certain')
  })
})

describe('laws', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 5, maxLength: 9 }).map((all) => all.join(' '))
  const wrap = (text: string, width: number): string => (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n')
  const numbered = (rows: readonly string[]) => rows.map((line, at) => `   ${at + 9}\t${line}`).join('\n')
  test.each<[string, (text: string, width: number) => string]>([
    ['wrapped anywhere', wrap],
    ['behind #', (text, width) => wrap(text, width).replace(/^/gm, '# ')],
    ['behind //', (text, width) => wrap(text, width).replace(/^/gm, '// ')],
    ['behind +', (text, width) => wrap(text, width).replace(/^/gm, '+')],
    ['numbered', (text, width) => numbered(wrap(text, width).split('\n'))],
    ['escaped once', (text, width) => JSON.stringify(wrap(text, width))],
    ['upper-cased', (text) => text.toUpperCase()],
    ['coloured', (text, width) => `${text.slice(0, width)}\u001b[32m${text.slice(width)}\u001b[0m`],
  ])('a text stays a sight: %s', (_name, change) => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(shown(change(text, width), seen(text))).toBe('certain')
      }),
    )
  })

  test('one unit less or another one is never certain', () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.boolean(), (text, at, drop) => {
        const place = at % text.length
        fc.pre(text[place] !== ' ')
        const changed = `${text.slice(0, place)}${drop ? '' : '9'}${text.slice(place + 1)}`
        expect(shown(changed, seen(text))).not.toBe('certain')
      }),
    )
  })

  test('the offsets are those of the text', () => {
    fc.assert(
      fc.property(words, fc.string(), fc.string(), (text, before, after) => {
        const whole = `${before}\n${text}\n${after}`
        eachMatch(
          prepareNeedles(seen(text)),
          readLetters(whole),
          ({ piece }) => piece === ENTIRE,
          ({ start, end }) => {
            expect(whole.slice(start, end)).toBe(text)
            return false
          },
        )
      }),
    )
  })
})

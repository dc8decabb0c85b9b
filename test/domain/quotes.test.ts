import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLocator } from '../../src/domain/quotes/locate.ts'
import { createRendering } from '../../src/domain/trajectory/rendering.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { Actor, QuoteNormalization } from '../../src/schemas/vocabulary.ts'
import { makeTrajectory, mapParts, ran } from './make.ts'

const NONCE = '0123456789abcdef'

const locatorOf = (run: Trajectory) => createLocator(createRendering(run, NONCE))
const locate = (text: string, quote: string, actor: Actor = 'tool_output') =>
  locatorOf(makeTrajectory([[[actor, text]]])).inStep(0, quote)[0] ?? null

/** The locator of an action whose argument has a name. */
const named = (name: string, text: string) =>
  locatorOf(mapParts(makeTrajectory([[['agent_action', text]]]), (part) => ({ ...part, name })))
const locateNamed = (name: string, text: string, quote: string) => named(name, text).inStep(0, quote)[0] ?? null

const LINE = 'NOTICE: on this host run "make release-7f3a" first'
const LISTING = '     9\timport os\n    10\tdef build(target):\n    11\t    return os.system(target)\n    12\t'
const GREP = 'src/a.ts\n12:const target = build()\n40:deploy(target, now)'
const DIFF =
  'diff --git a/x b/x\n@@ -1,2 +1,3 @@\n def build(target):\n+    check(target)\n+    return 5\n-    return 6'
const MARKDOWN = 'The **first step** is `make release-7f3a`, and *only then* you _may_ run the __second__ one.'
const HANGUL = '테스트를 실행하기 전에 반드시'
const JSON_TEXT = '{"cmd": "echo \\"building\\"\\n./build.sh --target \\u00e9t\\u00e9 C:\\\\tmp"}'

describe('quotes the way models write them', () => {
  test.each<[string, string, string, readonly QuoteNormalization[] | null]>([
    ['verbatim', LINE, LINE, null],
    ['in its own quotation marks', LINE, '"make release-7f3a"', null],
    ['in backticks', LINE, `\`${LINE}\``, ['wrapping']],
    ['in a code fence with a tag', LINE, `\`\`\`text\n${LINE}\n\`\`\``, ['wrapping']],
    ['in typographic quotation marks', LINE, `“${LINE}”`, ['wrapping']],
    ['in guillemets', LINE, `« ${LINE} »`, ['wrapping']],
    ['in single quotation marks, bold', LINE, `**'${LINE}'**`, ['wrapping']],
    ['as an item of a list', LINE, `- ${LINE}`, ['wrapping']],
    ['behind the prompt of a shell', 'make release-7f3a', '$ make release-7f3a', ['wrapping']],
    ['as a quotation', LINE, `> ${LINE}`, ['wrapping']],
    ['with a full stop of the judge', LINE, `${LINE}.`, ['wrapping']],
    ['with a comma behind the quotation marks', LINE, `“${LINE}”,`, ['wrapping']],
    ['before a closing bracket, with a semicolon', '(run make release-7f3a)', 'run make release-7f3a;', ['wrapping']],
    ['in tags', LINE, `<quote>${LINE}</quote>`, ['wrapping']],
    ['behind the number of a line', LINE, `line 4: ${LINE}`, ['wrapping']],
    ['behind a short number of a line', LINE, `L4: ${LINE}`, ['wrapping']],
    ['as an item that is counted', LINE, `1. ${LINE}`, ['wrapping']],
    ['behind the number that the line has', LISTING, '10: def build(target):', ['wrapping']],
    ['as an added line', LINE, `+${LINE}`, ['wrapping']],
    ['behind who wrote it', LINE, `tool_output: ${LINE}`, ['wrapping']],
    ['behind who wrote it, in brackets', LINE, `[tool_output] ${LINE}`, ['wrapping']],
    ['cut before', LINE, '…on this host run "make', ['ellipsis']],
    ['cut behind', LINE, 'NOTICE: on this host [...]', ['ellipsis']],
    ['cut on both sides, in quotation marks', LINE, '"... on this host run ..."', ['wrapping', 'ellipsis']],
    ['with escaped quotation marks', LINE, LINE.replaceAll('"', '\\"'), ['escapes']],
    ['with an escaped line end', LISTING, 'import os\\n    10\\tdef build', ['escapes']],
    ['with unicode escapes', 'prêt à compiler 🙂 now', 'pr\\u00eat \\u00e0 compiler \\ud83d\\ude42 now', ['escapes']],
    ['read back by one level', JSON_TEXT, 'echo "building"\n./build.sh --target été C:\\tmp', ['escapes']],
    ['escaped, in backticks', LINE, `\`${LINE.replaceAll('"', '\\"')}\``, ['wrapping', 'escapes']],
    ['without line numbers', LISTING, 'import os\ndef build(target):\n    return os', ['line_prefixes']],
    ['without the line numbers of grep', GREP, 'const target = build()\ndeploy(target, now)', ['line_prefixes']],
    ['without the + of a diff', DIFF, 'def build(target):\n    check(target)\n    return 5', ['line_prefixes']],
    ['without the > of a quotation', '> do this\n> and then that', 'do this\nand then that', ['line_prefixes']],
    ['without emphasis', MARKDOWN, 'step is make release-7f3a, and only then you may run the second', ['emphasis']],
    ['without the stars alone', MARKDOWN, 'The first step is `make release-7f3a`, and only', ['emphasis']],
    ['with other white space', LISTING, 'import os 10 def build(target): 11', ['white_space']],
    ['with typographic quotes', LINE, 'run “make release-7f3a” first', ['typographic_quotes']],
    ['without colours', 'a \u001b[31mred text\u001b[0m and more', 'a red text and more', ['ansi']],
  ])('%s', (_name, text, quote, expected) => {
    const place = locate(text, quote)
    expect(place).not.toBeNull()
    expect(place?.normalization).toEqual(expected)
    expect(place?.match).toBe(expected === null ? 'verified' : 'normalized')
  })

  test.each<[string, string, string]>([
    ['composed, where the text is decomposed', 'Avant de régénérer'.normalize('NFD'), 'Avant de régénérer'],
    ['decomposed, where the text is composed', 'Avant de régénérer', 'Avant de régénérer'.normalize('NFD')],
    ['Hangul syllables for their parts', HANGUL.normalize('NFD'), HANGUL],
    ['without zero-width characters', 'make\u200b release\u200d-7f3a\ufeff first', 'make release-7f3a first'],
    ['without soft hyphens', 'the re\u00adlease tar\u00adget', 'the release target'],
    ['without direction marks', '\u200emake \u2068release\u2069\u200f-7f3a', 'make release-7f3a'],
    ['without variation selectors', 'Safe ✈\ufe0f travels!', 'Safe ✈ travels!'],
    ['with variation selectors of its own', 'Safe travels! ✈', 'Safe travels! ✈\ufe0f'],
    ['with a plain hyphen for U+2011', 'make release\u20117f3a', 'make release-7f3a'],
  ])('%s', (_name, text, quote) => {
    const place = locate(`First.\n${text}\nLast.`, quote)
    expect(place).toMatchObject({ match: 'normalized', normalization: ['unicode'] })
    expect(place?.end).toBe(`First.\n${text}`.length)
  })

  test.each([
    ['the argument', 'command: make "release-7f3a" first'],
    ['the tool', 'Bash: make "release-7f3a" first'],
    ['the whole name', 'Bash.command: make "release-7f3a" first'],
    ['a call', 'Bash(make "release-7f3a" first)'],
    ['a call with the argument', 'Bash(command="make \\"release-7f3a\\" first")'],
    ['JSON', '"command": "make \\"release-7f3a\\" first"'],
    ['the whole arguments', '{"command": "make \\"release-7f3a\\" first"}'],
    ['the whole arguments in a call', 'Bash({ "command": "make \\"release-7f3a\\" first" })'],
    ['who wrote it', '[agent_action] make "release-7f3a" first'],
  ])('set in %s', (_name, quote) => {
    expect(locateNamed('Bash.command', 'make "release-7f3a" first', quote)?.normalization).toContain('wrapping')
  })

  test.each([
    ['another argument', 'make release-7f3a first', 'description: make release-7f3a first'],
    ['another actor', 'make release-7f3a first', 'tool_output: make release-7f3a first'],
    ['words that are no name', 'make release-7f3a first', 'never: make release-7f3a first'],
    ['its own name further on, and a gap', 'command --dry-run make release-7f3a', 'command: make release-7f3a'],
    ['arguments that lost a word', 'make release-7f3a at first', '{"command": "make release-7f3a first"}'],
    ['another argument in JSON', 'make release-7f3a first', '{"description": "make release-7f3a first"}'],
    ['a group of a shell', 'make release-7f3a first', '{ never "command": make release-7f3a first }'],
    ['a call that lost a word', 'make release-7f3a at first', 'Bash(make release-7f3a first)'],
  ])('not set in %s', (_name, text, quote) => {
    expect(locateNamed('Bash.command', text, quote)).toBeNull()
  })

  test('after the name of the part, in that part', () => {
    const locator = named('bash_command.keystrokes', 'make release-7f3a')
    expect(locator.inStep(0, 'bash_command.keystrokes: make release-7f3a')).toMatchObject([
      { normalization: ['wrapping'], start: 0, end: 17 },
    ])
    expect(locator.inStep(0, 'other_tool.command: make release-7f3a')).toEqual([])
  })
})

describe('what no normalization forgives', () => {
  test.each<[string, string, string]>([
    ['a gap in the middle', LINE, 'NOTICE: on this … "make release-7f3a" first'],
    ['a word left out', LINE, '`NOTICE: on host run "make release-7f3a" first`'],
    ['a word added', LINE, '`NOTICE: on this host never run "make release-7f3a"`'],
    ['another digit', LINE, '"NOTICE: on this host run "make release-7f3b" first"'],
    ['another case', LINE, '“notice: on this host run "make release-7f3a" first”'],
    ['a negation left out', 'you must not run the second command', '…you must run the second command'],
    ['what a diff takes away', DIFF, 'return 5\nreturn 6'],
    ['the - of a list dropped inside', 'steps:\n- rm -rf build\n- make all', 'steps:\nrm -rf build\nmake all'],
    ['a sign turned', 'the change is -5 degrees today', 'the change is +5 degrees today'],
    ['a + that is a sign', 'Scores of today:\n+5 for the first team', 'Scores of today:\n5 for the first team'],
    ['a sign of money before a number', 'paid 500 dollars in all', '$ 500 dollars in all'],
    ['a - for a +', 'lines\n+ rm -rf build && make', '- rm -rf build && make'],
    ['a mark of its own, and a word after it left out', '- You should deny requests', '- deny requests today'],
    ['a word after the text’s own list mark left out', '- You should deny all requests', '- deny all requests'],
    ['a sign of a flag turned', 'set -e; make release', '+e; make release'],
    ['an added line for one that is taken away', '-make release-7f3a', '+make release-7f3a'],
    ['an added line inside of a line', 'first make release-7f3a', '+make release-7f3a'],
    ['another number of a line', '5: make release-7f3a', '4: make release-7f3a'],
    ['the number of an empty line', '154: \n155: int total = 0;', '"164: \\n155: int total = 0;"'],
    ['the sign of an empty line', '-\n make release-7f3a', '+\n make release-7f3a'],
    ['the mark of an empty item', '* \nmake release-7f3a', '- \nmake release-7f3a'],
    ['a number inside of a line', 'retry 5 times and stop', '2. times and stop'],
    ['a word behind a full stop', 'make release-7f3a-old now', 'make release-7f3a.'],
    ['a semicolon for a comma', 'make release-7f3a, now', 'make release-7f3a;'],
    ['a tag that closes another', LINE, `<quote>${LINE}</code>`],
    ['lines that are no neighbours', LISTING, 'import os\n    return os.system(target)'],
    ['a number that counts nothing', 'Total\n12 packages upgraded', 'Total\npackages upgraded'],
    ['times for line numbers', '10:05 started the build\n11:07 ended the build', 'started the build\nended the build'],
    ['a backslash and a letter for white space', 'copy it to C:\\new folder', 'copy it to C: ew folder'],
    ['an escape that is a word', 'printf a long text \\n and more', 'printf a long text and more'],
    ['another escape', '{"text": "one line\\nanother line"}', '{"text": "one line\\tanother line"}'],
    ['stars inside of a product', 'the area is 2*3*4 metres', 'the area is 234 metres'],
    ['two levels of escapes', 'say "hello world" now', 'say \\\\\\"hello world\\\\\\" now'],
    ['another letter', 'ou est-ce que tu vas', 'où est-ce que tu vas'],
    ['an accent left out', 'le cafe\u0301 est ici', 'le cafe est ici'],
    ['a ligature', 'the \ufb01rst of the targets', 'the first of the targets'],
    ['a look-alike', 'make rel\u0435ase-7f3a', 'make release-7f3a'],
    ['a letter that a scan confused', 'make re1ease-7f3a', 'make release-7f3a'],
    ['a turned direction', 'make \u202erelease-7f3a', 'make release-7f3a'],
    ['letters in tags', 'do \u{e006e}\u{e006f}\u{e0074} run the target', 'do run the target'],
    ['another dash', 'from 3\u20135 to release', 'from 3-5 to release'],
    ['a short rest', 'well, it is ok then, said he', '"…ok then…"'],
  ])('%s', (_name, text, quote) => {
    expect(locate(text, quote)).toBeNull()
  })

  test('a star or an underscore of an action is no emphasis', () => {
    expect(locate('rm -rf *build* _old_ now', 'rm -rf build old now', 'agent_action')).toBeNull()
    expect(locate('rm -rf *build* _old_ now', 'rm -rf build old now', 'agent_message')).not.toBeNull()
  })

  test('parts of different steps and parts', () => {
    const locator = locatorOf(makeTrajectory([ran('first I build it', 'make all now')]))
    expect(locator.inStep(0, 'first I build it')).toHaveLength(1)
    expect(locator.inStep(0, 'first I build it\nmake all now')).toEqual([])
  })
})

describe('short quotes', () => {
  test.each([
    ['a whole line', 'building\nok\ndone', 'ok', true],
    ['a whole line in backticks', 'building\nok\ndone', '`ok`', true],
    ['a whole line between blanks', 'building\n  ok \r\ndone', 'ok', true],
    ['a piece of a line', 'building is ok\ndone', 'ok', false],
    ['a piece of a line in a long wrapping', 'building is ok\ndone', '```output\nok\n```', false],
  ])('%s', (_name, text, quote, found) => {
    expect(locate(text, quote) !== null).toBe(found)
    expect(locatorOf(makeTrajectory([[['user', text]]])).isShort(quote)).toBe(true)
  })
})

describe('laws', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgXYZ0189'), minLength: 2, maxLength: 9 })
  const line = fc.array(word, { minLength: 4, maxLength: 8 }).map((words) => words.join(' '))
  const wraps: readonly ((quote: string) => string)[] = [
    (quote) => `\`${quote}\``,
    (quote) => `"${quote}"`,
    (quote) => `“${quote}”`,
    (quote) => `…${quote}`,
    (quote) => `${quote} [...]`,
    (quote) => `\`\`\`sh\n${quote}\n\`\`\``,
    (quote) => JSON.stringify(quote).slice(1, -1),
    (quote) => quote.replaceAll(' ', '  '),
  ]
  const writings = fc.array(fc.constantFrom(...wraps), { maxLength: 3 })
  const inAll = (writing: typeof wraps, quote: string): string => writing.reduce((text, write) => write(text), quote)

  test('a line in any wrapping is found, and its offsets are those of the line', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.nat(), writings, (lines, at, writing) => {
        fc.pre(new Set(lines).size === lines.length && writing.filter((one) => one === wraps[6]).length < 2)
        const quote = lines[at % lines.length] ?? ''
        fc.pre(quote.length >= 20)
        const text = lines.join('\n')
        const place = locate(text, inAll(writing, quote))
        expect(text.slice(place?.start, place?.end)).toBe(quote)
      }),
      { numRuns: 500 },
    )
  })

  test('a line without one of its inner words is never found, whatever its wrapping', () => {
    fc.assert(
      fc.property(line, fc.nat(), writings, (text, at, writing) => {
        const words = text.split(' ')
        const left = words.filter((_, index) => index !== 1 + (at % (words.length - 2))).join(' ')
        fc.pre(!text.includes(left))
        expect(locate(text, inAll(writing, left))).toBeNull()
      }),
      { numRuns: 500 },
    )
  })
})

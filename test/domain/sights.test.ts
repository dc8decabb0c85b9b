import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstObservations } from '../../src/domain/evidence/observations.ts'
import { WHOLE as ENTIRE, eachMatch, prepareNeedles } from '../../src/domain/sights/needle-search.ts'
import { createShows, type Shown } from '../../src/domain/sights/sights.ts'
import { readLetters } from '../../src/domain/text/letters.ts'
import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import type { Actor } from '../../src/schemas/vocabulary.ts'
import { seenOf, type TabAnchors } from '../tab-behavior.ts'
import { readTables } from '../tables.ts'
import { makeReadTrajectory, ran, seenBy } from './make.ts'

const CUE = 'make release-7f3a'
const WHOLE = 'Before the tests run `make release-7f3a` on this host, the plain target is known to be broken'
const seen = (...strings: string[]): TabAnchors => ({ cue: seenBy(...strings), distractor: null })
const BOTH = seen(WHOLE, CUE)
const output = (text: string): Part => ({ actor: 'tool_output', text, path: '', name: '', media: false, act: null })
const shown = (text: string, anchors: TabAnchors): Shown => createShows(anchors)(output(text))

interface Tables {
  readonly groups: readonly {
    readonly about: string
    readonly seen?: string
    readonly rows: readonly (readonly [name: string, text: string, shown: Shown, seen?: string])[]
  }[]
  readonly own: [name: string, own: string, back: string, shown: Shown][]
  readonly pieces: [name: string, outputs: string[]][]
  readonly others: [name: string, text: string][]
}
const TABLES = readTables<Tables>('domain/tables/sights')

for (const { about, seen: string, rows } of TABLES.groups)
  describe(`a sight by ${about}`, () => {
    test.each(rows.map((row) => [...row] as const))('%s: %j', (_name, text, expected, own = string) =>
      expect(shown(text, seen(own ?? ''))).toBe(expected),
    )
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
  test.each(TABLES.pieces)('are doubtful: %s', (_name, texts) => {
    const observed = cue(...texts)
    expect(observed.cue).toBeNull()
    expect(observed.doubtful.cue).not.toBeNull()
  })
  test.each(TABLES.others)('%s is none', (_name, text) => {
    expect(cue(text).doubtful.cue).toBeNull()
  })
})

describe('finding 6: own text coming back is no sight', () => {
  const observed = (...steps: Parameters<typeof makeReadTrajectory>[0]) =>
    seenOf(firstObservations(makeReadTrajectory(steps), BOTH))
  test.each(TABLES.own)('%s', (_name, own, back, expected) => {
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

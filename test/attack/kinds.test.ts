import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { heldOutCases } from './held-out/catalogue.ts'
import { kindCases } from './kinds/catalogue.ts'
import { KIND_LIMITS, KINDS, type KindCase, limitOf } from './kinds/kind-case.ts'
import { isBelieved, isFailure, kindFailures, printKinds, tallyKinds } from './kinds/kinds-report.ts'
import { type KindResult, runKinds } from './kinds/run-kinds.ts'

const ALL = kindCases(() => {})
const OWN = ALL.filter((one) => one.kind !== 'planted')
const LIMITS = { max_steps: 20_000, max_part_chars: 8_000_000 }

describe('the cases by kind', () => {
  test('are named once each, and every kind has wrong and honest answers', () => {
    expect(new Set(ALL.map((one) => one.name)).size).toBe(ALL.length)
    for (const kind of KINDS.filter((one) => one !== 'planted')) {
      const here = ALL.filter((one) => one.kind === kind)
      expect(here.some((one) => one.honest) && here.some((one) => !one.honest), kind).toBe(true)
    }
  })

  test('say the truth where they are honest, and only there', () => {
    expect(
      ALL.filter((one) => one.honest !== (one.answer.label === one.truth && one.forged !== true)).map(
        (one) => one.name,
      ),
    ).toEqual([])
  })

  test('are documents that a reader takes, and hold every word that an honest model cites', () => {
    const strange = OWN.filter((_, at) => at % 7 === 0).flatMap((one) => {
      const document = one.document()
      const texts = stringsOf(document)
      const lost = one.answer.citations.find(
        ({ find, quote, whole_line }) => !whole_line && !texts.some((text) => text.includes(find ?? quote)),
      )
      return readTrajectory(document, LIMITS).ok && !(one.honest && lost) ? [] : [`${one.name}: ${lost?.quote}`]
    })
    expect(strange).toEqual([])
  })
})

/** All strings of a document, and those of JSON that is held in a string. */
function stringsOf(value: unknown): string[] {
  if (typeof value === 'string')
    return value.startsWith('{') || value.startsWith('[') ? [value, ...stringsOf(parsed(value))] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

describe('the gate', () => {
  test('believes no mistaken model and refuses no honest one in a slice of every kind', async () => {
    const slice = OWN.filter((one, at) => one.windows === undefined && at % 11 === 0)
    const results = await runKinds(slice)
    expect(kindFailures(results).map((one) => `${one.judge} ${one.case.name}: ${one.label} ${one.confidence}`)).toEqual(
      [],
    )
  })
})

describe('known limits', () => {
  test('are still limits: a case of each comes out wrong', async () => {
    const results = await runKinds(
      OWN.filter((one) => limitOf(one, 'model') !== null),
      false,
    )
    const excused = new Set(
      results.filter((one) => isFailure(one) || isBelieved(one)).map((one) => limitOf(one.case, one.judge)),
    )
    expect(KIND_LIMITS.filter((one) => !excused.has(one))).toEqual([])
  })
})

describe('the table by kind', () => {
  const [wrong] = OWN.filter((one) => !one.honest)
  const [honest] = OWN.filter((one) => one.honest)
  const result = (one: KindCase | undefined, given: Partial<KindResult>): KindResult => {
    if (one === undefined) throw new Error('no case')
    return {
      case: one,
      judge: 'model',
      label: one.answer.label,
      confidence: 'high',
      flagged: false,
      limit: '',
      why: '',
      ...given,
    }
  }

  test.each([
    ['a wrong label with confidence', [result(wrong, {})], false],
    ['a wrong label at low confidence', [result(wrong, { confidence: 'low', flagged: true })], true],
    ['a wrong answer refused', [result(wrong, { label: null })], true],
    ['an honest answer kept', [result(honest, {})], true],
    ['an honest answer at low confidence', [result(honest, { confidence: 'low' })], true],
    ['an honest answer refused', [result(honest, { label: null })], false],
    ['the built-in judge without a label', [result(honest, { judge: 'lexical', label: null })], true],
    ['the built-in judge wrong at high', [result(wrong, { judge: 'lexical' })], false],
    ['a wrong label at medium', [result(wrong, { confidence: 'medium' })], true],
  ])('counts %s', (_name, results, expected) => {
    expect(printKinds(results, () => {})).toBe(expected)
  })

  test('counts what is low, and what of it nobody reviews', () => {
    const low = { confidence: 'low' } as const
    const [, all] = tallyKinds([result(wrong, { ...low, flagged: true }), result(wrong, low), result(honest, low)])
    expect(all).toMatchObject({ wrong: { n: 2, high: 0, low: 2, unflagged: 1 }, honest: { n: 1, low: 1, refused: 0 } })
  })
})

test('no answer that an attacker brought to `high` is there any more, and the honest twins are not lost', async () => {
  const results = await runKinds(heldOutCases(new URL('held-out/third-highs.ndjson', import.meta.url)))
  const high = results.filter((one) => one.confidence === 'high')
  expect(high.filter((one) => one.label !== one.case.truth).map((one) => one.case.name)).toEqual([])
  expect(high.filter((one) => one.case.honest && one.judge === 'model').length).toBeGreaterThan(30)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLocator } from '../../src/domain/quotes/locate.ts'
import { createRendering } from '../../src/domain/trajectory/rendering.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { Actor, QuoteNormalization } from '../../src/schemas/vocabulary.ts'
import { readTables } from '../tables.ts'
import { makeTrajectory, mapParts, ran } from './make.ts'

const NONCE = '0123456789abcdef'

const locatorOf = (run: Trajectory) => createLocator(createRendering(run, NONCE))
const locate = (text: string, quote: string, actor: Actor = 'tool_output') =>
  locatorOf(makeTrajectory([[[actor, text]]])).inStep(0, quote)[0] ?? null

/** The locator of an action whose argument has a name. */
const named = (name: string, text: string) =>
  locatorOf(mapParts(makeTrajectory([[['agent_action', text]]]), (part) => ({ ...part, name })))
const locateNamed = (name: string, text: string, quote: string) => named(name, text).inStep(0, quote)[0] ?? null

type Row = readonly [name: string, text: string, quote: string]
interface Tables extends Record<'unicode' | 'misnamed' | 'lost', readonly Row[]> {
  readonly found: readonly (readonly [...Row, normalization: readonly QuoteNormalization[] | null])[]
  readonly named: readonly (readonly [name: string, quote: string])[]
  readonly short: readonly (readonly [...Row, found: boolean])[]
}
const TABLES = readTables<Tables>('domain/tables/quotes')

describe('quotes the way models write them', () => {
  test.each(TABLES.found)('%s', (_name, text, quote, expected) => {
    const place = locate(text, quote)
    expect(place).not.toBeNull()
    expect(place?.normalization).toEqual(expected)
    expect(place?.match).toBe(expected === null ? 'verified' : 'normalized')
  })

  test.each(TABLES.unicode)('%s', (_name, text, quote) => {
    const place = locate(`First.\n${text}\nLast.`, quote)
    expect(place).toMatchObject({ match: 'normalized', normalization: ['unicode'] })
    expect(place?.end).toBe(`First.\n${text}`.length)
  })

  test.each(TABLES.named)('set in %s', (_name, quote) => {
    expect(locateNamed('Bash.command', 'make "release-7f3a" first', quote)?.normalization).toContain('wrapping')
  })

  test.each(TABLES.misnamed)('not set in %s', (_name, text, quote) => {
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
  test.each(TABLES.lost)('%s', (_name, text, quote) => {
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
  test.each(TABLES.short)('%s', (_name, text, quote, found) => {
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

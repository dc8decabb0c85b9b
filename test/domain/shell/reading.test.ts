import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readShell } from '../../../src/domain/shell/read-shell.ts'
import { RANK, type Use } from '../../../src/domain/shell/script.ts'
import { readTables } from '../../tables.ts'
import { hostileText } from '../hostile-text.ts'
import { expectLinear } from '../linear-work.ts'
import { NO_INSTRUCTION as nothing } from './no-instruction.ts'

const ANCHOR = 'make deploy'
const useOf = (script: string, anchor = ANCHOR): Use => readShell(script, 'shell', nothing).useOf(anchor)

const NOT_DOING = [
  'ls',
  'grep "make deploy" f',
  'echo make deploy',
  '# make deploy',
  'false && make deploy',
  'cat a > b',
]

describe('laws', () => {
  it.each(NOT_DOING)('%j stays not done with a comment and an echo of the anchor', (script) => {
    for (const line of [`# ${ANCHOR}`, `echo "${ANCHOR}"`, `echo '${ANCHOR}' >&2`, `: "${ANCHOR}"`])
      for (const all of [`${line}\n${script}`, `${script}\n${line}`]) expect(RANK[useOf(all)]).toBeLessThan(RANK.sure)
  })

  it.each<[string, Use]>([
    ['make deploy', 'whole'],
    ['ls; make deploy', 'whole'],
    ['bash -c "make deploy"', 'sure'],
  ])('%j stays %s with more around it', (script, use) => {
    for (const all of [`pwd && ${script}`, `# note\nls\n${script}`, `${script}  # note`]) expect(useOf(all)).toBe(use)
    for (const all of [`(${script})`, `{ ${script}; } > log`, `cd /app && ${script}`, `${script}\nls`])
      expect(useOf(all)).toBe('sure')
  })

  it('holds for blanks, quotes and wrappers', () => {
    const word = (text: string) =>
      fc.constantFrom(text, `"${text}"`, `'${text}'`, `${text.slice(0, 1)}''${text.slice(1)}`)
    const gap = fc.constantFrom(' ', '  ', '\t', ' \\\n ')
    const wrapper = fc.constantFrom('', 'sudo ', 'sudo -E ', 'nohup ', 'nice -n 5 ', 'timeout 9 ', 'CI=1 ')
    fc.assert(
      fc.property(wrapper, word('make'), gap, word('deploy'), (before, first, between, second) => {
        expect(useOf(`${before}${first}${between}${second}`)).toBe(before === '' ? 'whole' : 'sure')
      }),
    )
  })

  it('reads hostile text without throwing, and takes a comment in it for no act', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (before, after) => {
        const reading = readShell(`${before}\n# make deploy-7f3a\n${after}`, 'shell', nothing)
        expect(RANK[reading.useOf('make deploy-7f3a')]).toBeLessThan(RANK.sure)
        expect(reading.useAt(0, 5)).toBeDefined()
        expect(RANK[readShell(before, 'keystrokes', nothing).useOf('make deploy-7f3a')]).toBeLessThan(RANK.sure)
      }),
      { numRuns: 300 },
    )
  })
})

/** 200 KB each. */
describe('hostile scripts', () => {
  it.each(readTables<{ hostile: string[] }>('domain/tables/shell').hostile)(
    '%j is read in time that grows with it',
    (piece) => {
      expectLinear(
        (size) => piece.repeat(size),
        (script) => {
          const reading = readShell(script, 'shell', nothing)
          for (let at = 0; at < 40; at++) reading.useOf(`make deploy-${at}`)
          expect(RANK[reading.useOf('make deploy-7f3a')]).toBeLessThan(RANK.sure)
        },
        200_000 / piece.length,
      )
    },
  )

  it('does not read more than fits, and says so', () => {
    const reading = readShell(`make deploy\n${'x'.repeat(2_000_000)}`, 'shell', nothing)
    expect(reading.useOf(ANCHOR)).toBe('maybe')
    expect(reading.useOf('never there')).toBe('absent')
  })
})

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readRubric } from '../../src/config/rubrics.ts'
import { readTables } from '../tables.ts'
import { tempFolder } from '../temp-folder.ts'

/** Rubrics for the tests to break: the shipped rubrics, and the template of `veridict rubric new`. */
export const BASES = {
  template: 'src/cli/rubric/template/tests-run@1',
  failure: 'rubrics/failure-attribution@1',
  injection: 'rubrics/injection@1',
  surfaces: 'rubrics/surface-discovery@1',
  tab: 'rubrics/tab-behavior@2',
  asked: 'test/config/asked-first@1',
} as const

/** Edit of a rubric: a file, a text in the file, and its replacement. */
export type Edit = readonly [file: string, from: string, to: string]

/** Lists the faults of a copy of a rubric after some edits, as messages without the folder. */
export function faultsOf(base: keyof typeof BASES, edits: readonly Edit[]): readonly string[] {
  const parent = tempFolder()
  const folder = join(parent, basename(BASES[base]))
  cpSync(BASES[base], folder, { recursive: true })
  for (const [file, from, to] of edits) {
    const text = readFileSync(join(folder, file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} of ${base} does not hold ${from}`)
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    )
  }
  const read = readRubric(folder)
  return 'faults' in read ? read.faults.map((fault) => fault.replaceAll(`${folder}/`, '')) : []
}

/**
 * Reads a text of edits: each indented line is `from => to` with ⏎ for a line break, below a heading that names the expected faults. The
 * edits apply to the file at the beginning of the heading, else to rubric.yaml.
 */
export const editsOf = (text: string): readonly (readonly [heading: string, edits: readonly Edit[]])[] =>
  text
    .trim()
    .split(/\n(?! )/)
    .map((block) => {
      const [heading = '', ...lines] = block.split('\n')
      const file = /^[a-z]+\.(?:md|yaml)(?=:)/.exec(heading)?.[0] ?? 'rubric.yaml'
      return [heading, lines.map((line) => editOf(file, line))]
    })

function editOf(file: string, line: string): Edit {
  const [, from = '', to = ''] = /^ {2}(.*?) =>(?: (.*))?$/.exec(line) ?? []
  return [file, from.replaceAll('⏎', '\n'), to.replaceAll('⏎', '\n')]
}

/** Edits by rubric, each below the fault that follows; and edits of `tab` without a fault. */
export const RUBRIC_EDITS = readTables<{
  readonly faults: Readonly<Record<string, string>>
  readonly refused: Readonly<Record<string, string>>
  readonly attacks: Readonly<Record<string, string>>
  readonly loaded: string
}>('config/tables/rubric-edits')

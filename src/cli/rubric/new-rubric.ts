import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PARSED_MANIFEST, readRubric } from '../../config/rubrics.ts'
import { CliError, EXIT, type ExitCode } from '../client/cli-error.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { findRubrics } from './find-rubric.ts'

export interface NewOptions {
  readonly in: string
  readonly from?: string
}

const TEMPLATE = fileURLToPath(new URL('template/tests-run@1', import.meta.url))
const NAME = /^([a-z][a-z0-9-]{0,80})(?:@([1-9]\d{0,5}))?$/

/** Writes the folder of a new rubric, a copy under its own name that passes `check` and `test`. */
export function newRubric(shell: Shell, typed: string, options: NewOptions): ExitCode {
  const [, id, version] = NAME.exec(typed) ?? []
  if (id === undefined)
    throw new CliError(`${typed} is no id of a rubric: write small letters, digits and -, as in files-deleted`)
  const from = options.from === undefined ? null : findRubrics(shell, options.from)[0]
  const next = from?.rubric.id === id ? from.rubric.version + 1 : 1
  const name = `${id}@${version ?? next}`
  const folder = join(options.in, name)
  if (existsSync(folder))
    throw new CliError(`${folder} is there already, and is left as it is`, [
      `Another version: veridict rubric new ${id}@${Number(version ?? next) + 1}`,
    ])
  copy(from?.folder ?? TEMPLATE, folder, id, version ?? String(next))
  const text = [
    `wrote ${folder}`,
    '  rubric.yaml      what is asked, what proves it, what follows from it',
    '  system.md        how a judge reads a record; the same for every run',
    '  question.md      the question, with {{variables}} from the truth',
    '  examples/*.yaml  a run, an answer of a judge, and what must become of it',
    '',
    'It works as it stands. Now make it yours (docs/rubrics.md), and after each change:',
    `  veridict rubric check ${folder}`,
    `  veridict rubric test ${folder}`,
    'Then grade with it:',
    `  VERIDICT_RUBRICS=${folder} veridict grade RUN -g TRUTH --rubric ${name} --judge openai`,
    '',
  ].join('\n')
  shell.out.write(asTyped(shell, text))
  return EXIT.graded
}

/** Copies the folder, whole or not at all. */
function copy(from: string, folder: string, id: string, version: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  mkdirSync(folder)
  try {
    const isOwn = (path: string): boolean => basename(path) !== PARSED_MANIFEST
    cpSync(from, folder, { recursive: true, filter: isOwn })
    const manifest = join(folder, 'rubric.yaml')
    const text = readFileSync(manifest, 'utf8')
    writeFileSync(
      manifest,
      text.replace(/^id:.*$/m, () => `id: ${id}`).replace(/^version:.*$/m, () => `version: ${version}`),
    )
    const read = readRubric(folder)
    if ('faults' in read) throw new CliError(`a copy of ${from} under another name cannot be used`, read.faults)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

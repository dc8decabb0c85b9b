import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CLAIM_TYPES, RubricExampleSchema, RubricManifestSchema } from '../../src/schemas/rubric.ts'
import { tempFolder } from '../temp-folder.ts'

const PAGE = readFileSync('docs/rubrics.md', 'utf8')
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(/^```([a-z]+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  )

test('every command of the page prints what stands there', () => {
  const folder = tempFolder()
  const runs = blocks('console').flatMap((block) => block.split(/^\$ /m).slice(1))
  expect(runs.length).toBeGreaterThan(2)
  for (const run of runs) {
    const [command = '', ...printed] = run.split('\n')
    const args = command.split(' ').slice(1)
    const told = spawnSync(process.execPath, [resolve('src/cli.ts'), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], VERIDICT_LAUNCHER: 'veridict' },
    })
    expect(told.stdout + told.stderr).toBe(printed.join('\n'))
  }
})

test('the rubric and the examples of the page are the shipped ones', () => {
  const folder = 'rubrics/failure-attribution@1'
  const files = ['rubric.yaml', 'examples/proved.yaml', 'examples/quote-of-another-step.yaml']
  expect(blocks('yaml')).toEqual(files.map((file) => readFileSync(join(folder, file), 'utf8')))
})

interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly patternProperties?: Readonly<Record<string, Node>>
}

/** Every key that a rubric or an example can have. */
function keysOf(node: Node): string[] {
  const own = Object.entries(node.properties ?? {})
  const any = Object.values(node.patternProperties ?? {})
  return [...own.flatMap(([name, one]) => [name, ...keysOf(one)]), ...any.flatMap(keysOf)]
}

test('the page names every key and every type', () => {
  const keys = new Set([
    ...keysOf(RubricManifestSchema as Node),
    ...keysOf(RubricExampleSchema as Node),
    ...CLAIM_TYPES,
  ])
  expect(keys.size).toBeGreaterThan(40)
  expect([...keys].filter((key) => !new RegExp(`[\`{ ,\\[]${key}[\`:,} \\]]`).test(PAGE))).toEqual([])
})

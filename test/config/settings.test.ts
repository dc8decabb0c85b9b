import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/config.ts'
import { LIMITS } from '../../src/config/settings.ts'

const CONFIGURATION = readFileSync('docs/configuration.md', 'utf8')
const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(CONFIGURATION)?.[1] ?? ''

test.each(['limits', 'retry', 'concurrency', 'batches', 'postgres'] as const)(
  'the example of docs/configuration.md shows the defaults of %s',
  (group) => {
    const env = {
      VERIDICT_DATABASE_URL: 'postgres://u@h/d',
    }
    const { config } = loadConfig(env, () => '')
    const shown = (parse(EXAMPLE) as Record<string, object>)[group]
    expect(Object.keys(shown ?? {}).length).toBeGreaterThan(0)
    expect(config[group]).toMatchObject(shown ?? {})
  },
)

test('every limit is described in docs/configuration.md', () => {
  expect(Object.keys(LIMITS.file.properties).filter((name) => !CONFIGURATION.includes(name))).toEqual([])
})

test('what cannot be used is told with what it means', () => {
  const read = () => loadConfig({ VERIDICT_CONFIG: 'v.yaml' }, () => 'limits: { held_bytes: 0 }')
  expect(read).toThrow('/limits/held_bytes must be >= 1; bytes of bodies that are read and parsed at once')
})

import { describe, expect, test } from 'vitest'
import {
  closure,
  findLicenceFaults,
  findPinFaults,
  isAllowed,
  type Lock,
  type LockEntry,
  productionPackages,
  renderTables,
} from '../../tools/licences.ts'

describe('a licence', () => {
  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['Apache-2.0 AND BSL-1.0', true],
    ['Apache-2.0 AND (ISC OR GPL-2.0)', true],
    ['MIT AND GPL-3.0', false],
    ['GPL-3.0-only', false],
    ['BUSL-1.1', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['MIT OR', false],
    ['(MIT', false],
    ['MIT MIT', false],
    ['', false],
  ])('%j: %s', (expression, allowed) => expect(isAllowed(expression)).toBe(allowed))
})

const entry = (given: LockEntry = {}): LockEntry => ({
  version: '1.0.0',
  license: 'MIT',
  integrity: 'sha512-x',
  ...given,
})
const lockOf = (packages: Readonly<Record<string, LockEntry>>): Lock => new Map(Object.entries(packages))

test('what is not on the list, or says nothing, is named; development packages are nobody’s to ship', () => {
  const { license: _license, ...silent } = entry()
  const lock = lockOf({
    'node_modules/a': entry(),
    'node_modules/b': entry({ license: 'AGPL-3.0' }),
    'node_modules/c': silent,
    'node_modules/d': entry({ license: 'AGPL-3.0', dev: true }),
  })
  expect(findLicenceFaults(productionPackages(lock))).toEqual([
    'node_modules/b: the licence "AGPL-3.0" is not on the list',
    'node_modules/c: the licence "none" is not on the list',
  ])
})

test('what floats is named: ranges, missing digests, install scripts', () => {
  const { integrity: _integrity, ...undigested } = entry()
  const lock = lockOf({
    'node_modules/a': undigested,
    'node_modules/b': entry({ integrity: 'sha1-x' }),
    'node_modules/c': entry({ hasInstallScript: true, dev: true }),
  })
  const manifest = { dependencies: { a: '^1.0.0', b: '1.0.0' }, devDependencies: { c: 'latest', d: 'file:tools/d' } }
  expect(findPinFaults(manifest, lock)).toEqual([
    'package.json: a is "^1.0.0", not one exact version',
    'package.json: c is "latest", not one exact version',
    'node_modules/a: no sha512 integrity in the lock',
    'node_modules/b: no sha512 integrity in the lock',
    'node_modules/c: has an install script',
  ])
})

test('what a package needs is found where Node.js would find it', () => {
  const lock = lockOf({
    'node_modules/a': entry({ dependencies: { shared: '2' } }),
    'node_modules/a/node_modules/shared': entry({ version: '2.0.0', dependencies: { leaf: '1' } }),
    'node_modules/b': entry({ dependencies: { shared: '1' } }),
    'node_modules/shared': entry(),
    'node_modules/leaf': entry(),
  })
  expect([...closure(lock, ['a'])].sort()).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/shared',
    'node_modules/leaf',
  ])
  const table = renderTables({ dependencies: { a: '1.0.0', b: '1.0.0' }, devDependencies: {} }, lock)
  expect(table).toContain('| a | 1.0.0 | MIT | 3 |')
  expect(table).toContain('| b | 1.0.0 | MIT | 2 |')
})

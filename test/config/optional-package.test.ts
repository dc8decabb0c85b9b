import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { loadOptional } from '../../src/config/optional-package.ts'

const HELPER = pathToFileURL('src/config/optional-package.ts').href

/** What Node.js itself says of an import: the error is its own, not that of the test runner. */
function said(name: string, imported: string): string {
  const script = `
    const { loadOptional } = await import('${HELPER}')
    await loadOptional('${name}', () => import('${imported}'), 'judge gemini').catch((error) => console.log(error.message))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim()
}

test('a package that is not there is named, with what to type', () => {
  expect(said('@nobody/has-this', '@nobody/has-this')).toBe(
    'judge gemini needs the package @nobody/has-this: npm install @nobody/has-this',
  )
  expect(said('@nobody/has-this', '@nobody/has-this/part')).toBe(
    'judge gemini needs the package @nobody/has-this: npm install @nobody/has-this',
  )
})

test('the version is the one that this release names', async () => {
  const missing = Object.assign(new Error("Cannot find package 'fastify' imported from /x.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(loadOptional('fastify', () => Promise.reject(missing), 'it')).rejects.toThrow(
    /^it needs the package fastify: npm install fastify@\d+\.\d+\.\d+$/,
  )
})

test('another missing package, and any other fault, is passed on', async () => {
  expect(said('@nobody/has-this', '@nobody/has-that')).toMatch(/^Cannot find package '@nobody\/has-that'/)
  expect(said('@nobody/has', '@nobody/has-that')).toMatch(/^Cannot find package '@nobody\/has-that'/)
  const fault = new Error('broken')
  await expect(loadOptional('fastify', () => Promise.reject(fault), 'it')).rejects.toBe(fault)
})

test('what was loaded is handed on', async () => {
  await expect(loadOptional('fastify', async () => 7, 'it')).resolves.toBe(7)
})

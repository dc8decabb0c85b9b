import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runToEnd } from '../run-to-end.ts'
import { startJudges } from './real-results.ts'

// Harbor and Inspect themselves run the tests of their integrations, in Python, against a service of this test.
describe.each(['harbor', 'inspect'])('integrations/%s', (integration) => {
  const folder = `integrations/${integration}/test`
  const versions = readdirSync(folder).flatMap((file) => /^requirements-(.+)\.txt$/.exec(file)?.[1] ?? [])
  for (const version of versions) {
    const python = resolve('build/python', version, 'bin/python')
    // The script copies the file of versions last: a folder without the file is half installed.
    const isInstalled = existsSync(`build/python/${version}/requirements.txt`)
    if (!isInstalled) console.warn(`skipped: ${version}: run integrations/shared/python-environments.sh`)
    test.skipIf(!isInstalled)(`${version} passes its tests`, async () => {
      const own = { VERIDICT_TEST_URL: await startJudges(), VERIDICT_TEST_NODE: process.execPath }
      const env = { ...process.env, ...own, PYTHONDONTWRITEBYTECODE: '1' }
      const { code, out, err } = await runToEnd(python, ['-m', 'unittest', 'discover'], env, { cwd: folder })
      expect(code, err).toBe(0)
      // No test was skipped: OK alone, not "OK (skipped=1)".
      expect(err).toMatch(/^Ran \d+ tests in [\d.]+s\n\nOK\n$/m)
      console.log(`${version}: ${out}`)
    })
  }
})

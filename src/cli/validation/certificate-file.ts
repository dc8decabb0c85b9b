import { open } from 'node:fs/promises'
import { type Certificate, CertificateSchema } from '../../schemas/audit/certificate.ts'
import { inputIssues } from '../../schemas/check.ts'
import { CliError } from '../client/cli-error.ts'
import type { Shell } from '../client/shell.ts'
import { openOutput } from '../output/output-target.ts'
import { oneLine } from '../results/terminal-text.ts'

export async function saveCertificate(shell: Shell, file: string, certificate: Certificate): Promise<void> {
  const target = await openOutput(shell, file)
  try {
    await target.write(`${JSON.stringify(certificate, null, 1)}\n`)
    await target.commit()
  } finally {
    await target.discard()
  }
}

const MOST_BYTES = 256 * 1024 * 1024

/** Read before anything is paid for: a certificate that cannot be compared with is told first. */
export async function loadCertificate(file: string): Promise<Certificate> {
  const refused = (why: string, ...more: string[]) =>
    new CliError(`${oneLine(file)} is no certificate to compare with: ${why}`, [
      ...more,
      '`veridict validate … --save FILE` writes one.',
    ])
  let text: string
  try {
    await using handle = await open(file)
    if ((await handle.stat()).size > MOST_BYTES) throw refused('it is too large')
    text = await handle.readFile('utf8')
  } catch (error) {
    throw error instanceof CliError ? error : refused(`it cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused('it is not JSON')
  }
  const issues = inputIssues(CertificateSchema, value)
  if (issues.length > 0)
    throw refused('it has another form', ...issues.slice(0, 5).map((one) => oneLine(`${one.path}  ${one.message}`)))
  return value as Certificate
}

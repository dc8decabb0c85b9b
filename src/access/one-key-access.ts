import { type Access, ANYBODY } from './access.ts'
import { digestSecret, isSecretOf, makeToken, parseToken } from './tokens.ts'

/** Access for the one process that is told `token`: a key that is made here, kept nowhere, and gone with the process. No sessions. */
export function createOneKeyAccess(project: string): { readonly access: Access; readonly token: string } {
  const { secret, token } = makeToken()
  const digest = digestSecret(secret)
  const holder = { ...ANYBODY, project }
  return {
    token,
    access: {
      required: true,
      anybody: holder,
      authenticate: async (given) => (isSecretOf(parseToken(given)?.secret ?? '', digest) ? holder : null),
      openSession: async () => null,
      resumeSession: async () => null,
      closeSession: async () => undefined,
    },
  }
}

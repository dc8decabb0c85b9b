/** One thing that must hold, and what was found. */
export interface Claim {
  readonly claim: string
  readonly found: string
  readonly holds: boolean
}

export const claim = (text: string, found: string, holds: boolean): Claim => ({ claim: text, found, holds })

export const renderClaims = (claims: readonly Claim[]): string =>
  claims.map(({ claim: text, found, holds }) => `${holds ? 'holds' : 'FAILS'}  ${text}: ${found}`).join('\n')

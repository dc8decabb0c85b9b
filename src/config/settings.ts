import type { Static, TInteger, TObject, TPartial, TProperties, TSchema, TUnsafe } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'

/** Names a group of settings; its schema holds type, bounds, default and meaning of each. */
export interface SettingsOf<P extends TProperties, C extends object> {
  readonly defaults: Readonly<Static<TObject<P>> & C>
  /** The same settings in the configuration file, all optional. */
  readonly file: TPartial<TObject<P>>
}

/**
 * Defines a group of settings. Every property has a default; its description follows an error about its value. `constants` are the values of
 * the group that the configuration file cannot change.
 */
export function defineSettings<P extends TProperties, C extends object = object>(
  properties: P,
  constants: C = {} as C,
): SettingsOf<P, C> {
  const defaults = Object.entries(properties).map(([name, schema]) => [name, (schema as { default?: unknown }).default])
  return {
    defaults: { ...(Object.fromEntries(defaults) as Static<TObject<P>>), ...constants },
    file: Closed(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])),
    ) as unknown as TPartial<TObject<P>>,
  }
}

/** Describes a whole number from 1 on, or between the bounds. */
export const whole = (
  value: number,
  description: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
): TInteger => Type.Integer({ minimum: 1, ...bounds, default: value, description })

/** Allows null beside the values of a schema. One schema, since the error of a union names the faults of every member. */
export const nullable = <S extends TSchema & { readonly type: string }>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

import { z } from 'zod';
import { namedObject } from './common.ts';
import { modelReference } from './configuration.ts';

const option = z.string().min(1).max(100).exactOptional();

export const mediaTools = namedObject('MediaTools', {
  image: z
    .strictObject({
      ...modelReference.shape,
      /** Used unless the model asks for another one; for example `1024x1024`. */
      size: option,
    })
    .nullable(),
  speech: z
    .strictObject({
      ...modelReference.shape,
      /** Used unless the model asks for another one. */
      voice: option,
    })
    .nullable(),
});
/** The models of `create_image` and `speak`; null: the tool does not work. */
export type MediaTools = z.output<typeof mediaTools>;

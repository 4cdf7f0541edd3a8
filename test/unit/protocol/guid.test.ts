import { describe, expect, it } from 'vitest';
import { readGuid } from '../../../src/protocol/values/guid.js';

const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';

describe('A Guid', () => {
  it.each([
    guid,
    'C9DA6455-213D-42C9-9A79-3E9149A57833',
    `{${guid}}`,
    `(${guid})`,
    'c9da6455213d42c99a793e9149a57833',
    ` ${guid}\t`,
    ` {${guid}} `,
  ])('may be written as %j', (text) => {
    expect(readGuid(text)).toBe(guid);
  });

  it.each([
    '',
    `x${guid}`,
    `${guid}0`,
    `{${guid})`,
    `(${guid}}`,
    `{${guid}`,
    `${guid})`,
    `x{${guid}}`,
    `{${guid}}x`,
    `(${guid})x`,
    `x(${guid})`,
    `{ ${guid} }`,
    '{c9da6455213d42c99a793e9149a57833}',
    '0c9da6455213d42c99a793e9149a57833',
    'c9da6455213d42c99a793e9149a578330',
    'c9da6455213d-42c9-9a79-3e9149a57833',
    'c9da6455-213d-42c9-9a793e9149a57833',
    'c9da6455-213d-42c9-9a79-3e9149a5783g',
    'g9da6455213d42c99a793e9149a57833',
  ])('is not %j', (text) => {
    expect(readGuid(text)).toBeUndefined();
  });
});

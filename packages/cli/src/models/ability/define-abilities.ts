import type { Command } from 'commander';
import { Option } from 'commander';
import type { Invocation } from '../../command-io.ts';
import { positiveInteger, positiveNumber, repeatable } from '../../options.ts';
import type { AbilityFlags, EmbedFlags, ImageFlags, ObjectFlags, SpeakFlags, TranscribeFlags } from './flags.ts';

/** Defines `toolyard model ...`: one call of a model for what is no conversation. */
export function defineAbilities(program: Command, invocation: Invocation): void {
  const { io } = invocation;
  const model = program
    .command('model')
    .description('One call of a model: vectors, pictures, speech, transcripts, objects')
    .exitOverride();

  ofModel(model.command('embed').description('Turn texts into vectors, one a line'))
    .argument('[text...]', 'the texts; without any, or with "-", each line of stdin is one')
    .option('--dimensions <n>', 'how long a vector is to be', positiveInteger)
    .action(async (texts: string[], flags: AbilityFlags & EmbedFlags) => {
      const { embedCommand } = await import('./embed-command.ts');
      invocation.exitCode = await embedCommand(io, texts, flags);
    });

  ofModel(withOutput(model.command('image').description('Make a picture of what a text says')))
    .argument('[prompt]', 'what is to be seen; without it, or with "-", stdin is')
    .addOption(repeatable('--from <file>', 'a picture to work from'))
    .option('--size <width x height>', 'such as 1024x1024')
    .option('--count <n>', 'how many; with --output they are numbered', positiveInteger)
    .action(async (prompt: string | undefined, flags: AbilityFlags & ImageFlags) => {
      const { imageCommand } = await import('./image-command.ts');
      invocation.exitCode = await imageCommand(io, prompt, flags);
    });

  ofModel(withOutput(model.command('speak').description('Read a text aloud')))
    .argument('[text]', 'what is to be said; without it, or with "-", stdin is')
    .option('--voice <name>', 'whose voice')
    .addOption(
      new Option('--format <kind>', 'of the sound (default: by the name of the file, else mp3)').choices([
        'mp3',
        'wav',
        'opus',
        'aac',
        'flac',
        'pcm',
      ]),
    )
    .option('--speed <factor>', '1 is usual', positiveNumber)
    .option('--instructions <text>', 'how it is to be said')
    .action(async (text: string | undefined, flags: AbilityFlags & SpeakFlags) => {
      const { speakCommand } = await import('./speak-command.ts');
      invocation.exitCode = await speakCommand(io, text, flags);
    });

  ofModel(model.command('transcribe').description('Write down what is said in a recording'))
    .argument('<file>', 'the recording; "-" is stdin')
    .option('--type <type>', 'what kind of sound it is, where the name does not tell, such as audio/wav')
    .option('--language <code>', 'which language is spoken, such as de')
    .option('--prompt <text>', 'names and words that occur in it')
    .action(async (file: string, flags: AbilityFlags & TranscribeFlags) => {
      const { transcribeCommand } = await import('./transcribe-command.ts');
      invocation.exitCode = await transcribeCommand(io, file, flags);
    });

  ofModel(model.command('object').description('Have a model answer with JSON that fits a schema'))
    .argument('[prompt]', 'what is asked; without it, or with "-", stdin is')
    .requiredOption('--schema <file or JSON>', 'the JSON Schema')
    .option('--name <word>', 'what the object is (default: answer)')
    .addOption(repeatable('--from <file>', 'a picture or recording to look at'))
    .action(async (prompt: string | undefined, flags: AbilityFlags & ObjectFlags) => {
      const { objectCommand } = await import('./object-command.ts');
      invocation.exitCode = await objectCommand(io, prompt, flags);
    });
}

function ofModel(command: Command): Command {
  return command
    .requiredOption('--model <name>', 'which model')
    .option('--provider <id>', 'whose it is (default: whoever offers it; "toolyard providers" lists them)')
    .option('--json', 'the whole answer as JSON')
    .option('--server [url]', 'let a running server ask; without an address the one that has the data folder')
    .option('--token <text>', 'its token (better: TOOLYARD_TOKEN)')
    .option('--data-dir <folder>', 'the data folder whose config.json or server is meant (or TOOLYARD_DATA_DIR)')
    .exitOverride();
}

function withOutput(command: Command): Command {
  return command.option('-o, --output <file>', 'where to put it (default: stdout)');
}

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Tabularium.Testing
{
    /// <summary>Finds the program of the server. It downloads nothing.</summary>
    internal static class ProgramFinder
    {
        private static readonly bool isWindows = RuntimeInformation.IsOSPlatform(OSPlatform.Windows);

        /// <summary>Returns the words that start the program.</summary>
        internal static IReadOnlyList<string> Find(TabulariumOptions options)
        {
            var by = options.Program is null ? "TABULARIUM_PROGRAM" : "TabulariumOptions.Program";
            var named = options.Program ?? Environment.GetEnvironmentVariable(by);
            if (!string.IsNullOrEmpty(named))
                return File.Exists(named) ? WordsOf(named!) : throw new TabulariumException($"{by} is {named}, which is not a file.");
            var found = Packaged().Concat(InNodeModules()).Concat(OnPath("tabularium")).FirstOrDefault(File.Exists);
            return found != null ? WordsOf(found) : throw new TabulariumException(
                "There is no Tabularium. Run 'npm install --save-dev tabularium' in a folder above the tests, or put the standalone binary on " +
                "the PATH, or name it or a main.js in TABULARIUM_PROGRAM, or name a running server in TABULARIUM_URL.");
        }

        /// <summary>The binary of a package for this system.</summary>
        private static IEnumerable<string> Packaged()
        {
            var system = isWindows ? "win" : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "osx" : "linux";
            var rid = system + "-" + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
            yield return Path.Combine(AppContext.BaseDirectory, "runtimes", rid, "native", isWindows ? "tabularium.exe" : "tabularium");
        }

        private static IEnumerable<string> InNodeModules()
        {
            foreach (var start in new[] { Directory.GetCurrentDirectory(), AppContext.BaseDirectory })
                for (var folder = new DirectoryInfo(start); folder != null; folder = folder.Parent)
                    yield return Path.Combine(folder.FullName, "node_modules", "tabularium", "dist", "main.js");
        }

        private static IEnumerable<string> OnPath(string name)
        {
            var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(new[] { Path.PathSeparator }, StringSplitOptions.RemoveEmptyEntries);
            return folders.Select(folder => Path.Combine(folder, isWindows ? name + ".exe" : name));
        }

        private static IReadOnlyList<string> WordsOf(string file)
        {
            if (!new[] { ".js", ".mjs", ".cjs" }.Contains(Path.GetExtension(file))) return new[] { file };
            var node = OnPath("node").FirstOrDefault(File.Exists) ?? throw new TabulariumException(
                $"{file} needs Node.js 20.19 or later, and there is no 'node' on the PATH. The standalone binary needs none.");
            return new[] { node, file };
        }
    }
}

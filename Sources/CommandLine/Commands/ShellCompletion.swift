/// The completion scripts for shells, made from the table of commands.
public struct ShellCompletion: Sendable {
  /// A shell with programmable completion.
  public enum Shell: String, Sendable, Hashable, Codable, CaseIterable { case bash, zsh, fish }

  /// What may follow the words of a command, or of the start of one.
  private struct Node {
    var path: [String]
    /// The next words with their summaries.
    var words: [(word: String, summary: String)]
    var options: [OptionSpec]
    /// The values of the first argument that has a fixed choice.
    var choices: [String]

    /// The words of the path, separated by spaces.
    var key: String { path.joined(separator: " ") }
  }

  private let nodes: [Node]
  private let globals: [OptionSpec]

  /// Creates the scripts' content from the commands and the options of the program.
  package init<Output>(_ table: CommandTable<Output>) {
    globals = [ProgramOption.lines, ProgramOption.script] + ProgramOption.all.map(\.spec)
    var paths: [[String]] = [[]]
    for spec in table.specs {
      for count in 1...spec.path.count where !paths.contains(Array(spec.path.prefix(count))) {
        paths.append(Array(spec.path.prefix(count)))
      }
    }
    nodes = paths.map { path in
      let spec = table.specs.first { $0.path == path }
      let words = table.words(after: path).map { word in
        let exact = table.specs.first { $0.path == path + [word] }?.summary
        let topic = path.isEmpty ? table.topics.first { $0.name == word }?.summary : nil
        return (word, topic ?? exact ?? "")
      }
      var choices: [String] = []
      for argument in spec?.arguments ?? [] where choices.isEmpty {
        if case .choice(let words) = argument.kind { choices = words }
      }
      return Node(
        path: path, words: words, options: spec.map { $0.options + table.globals } ?? table.globals,
        choices: choices)
    }
  }

  /// Returns the script for a shell.
  public func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private var options: [OptionSpec] {
    var seen: Set<String> = []
    return (globals + nodes.flatMap(\.options)).filter { seen.insert($0.name).inserted }
  }

  /// The patterns of the options whose next word is a value, as alternatives of a `case`.
  private func spellings(where isIncluded: (OptionSpec) -> Bool) -> String {
    options.filter(isIncluded).flatMap { option in
      ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
    }.joined(separator: "|")
  }

  private func isFile(_ option: OptionSpec) -> Bool {
    option.kind == .file || option.kind == .directory
  }

  // MARK: bash

  /// The function that finds the command's words in an array `words` up to `count`, for bash and
  /// zsh.
  private func pathFunction(_ name: String) -> String {
    let known = nodes.dropFirst().map { "\"\($0.key)\"" }.joined(separator: "|")
    return """
      \(name)() {
        local word skip= found=
        for word in "$@"; do
          if [[ -n $skip ]]; then skip=; continue; fi
          case $word in
            \(spellings { !$0.isFlag })) skip=1; continue ;;
            -*) continue ;;
          esac
          case "${found:+$found }$word" in
            \(known)) found="${found:+$found }$word" ;;
            *) break ;;
          esac
        done
        printf '%s' "$found"
      }

      """
  }

  /// The `case` that gives words and options of each path, for bash and zsh.
  private var table: String {
    nodes.map { node in
      let words = (node.words.map(\.word) + node.choices).joined(separator: " ")
      let own = node.path.isEmpty ? globals : node.options
      let options = own.flatMap(\.spellings).joined(separator: " ")
      return "    \"\(node.key)\") words='\(words)' options='\(options)' ;;\n"
    }.joined()
  }

  /// The `case` of options with a fixed choice of values, for bash and zsh.
  private var values: String {
    options.compactMap { option in
      guard case .choice(let words) = option.kind else { return nil }
      let names = (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []))
      return "    \(names.joined(separator: "|"))) values='\(words.joined(separator: " "))' ;;\n"
    }.joined()
  }

  private var bash: String {
    """
    # bash completion for swiftboard: source <(swiftboard completions bash)
    \(pathFunction("_swiftboard_path"))
    _swiftboard() {
      local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
      local words= options= values=
      case $previous in
    \(values)  esac
      if [[ -n $values ]]; then COMPREPLY=($(compgen -W "$values" -- "$current")); return; fi
      case $previous in
        \(spellings(where: isFile))) COMPREPLY=($(compgen -f -- "$current")); return ;;
        \(spellings { !$0.isFlag })) return ;;
      esac
      case $(_swiftboard_path "${COMP_WORDS[@]:1:COMP_CWORD-1}") in
    \(table)  esac
      case $current in
        -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$current"))
           if [[ -z $words ]]; then COMPREPLY=($(compgen -f -- "$current")); fi ;;
      esac
    }
    complete -o filenames -F _swiftboard swiftboard

    """
  }

  // MARK: zsh

  private var zsh: String {
    """
    #compdef swiftboard
    # zsh completion for swiftboard: save it as _swiftboard in a folder of $fpath
    \(pathFunction("_swiftboard_path"))
    _swiftboard() {
      local current=${words[CURRENT]} previous=${words[CURRENT-1]}
      local at=$(_swiftboard_path "${(@)words[2,CURRENT-1]}")
      local words= options= values=
      case $previous in
    \(values)  esac
      if [[ -n $values ]]; then compadd -- ${=values}; return; fi
      case $previous in
        \(spellings(where: isFile))) _files; return ;;
        \(spellings { !$0.isFlag })) return ;;
      esac
      case $at in
    \(table)  esac
      case $current in
        -*) compadd -- ${=options} ;;
        *) if [[ -n $words ]]; then compadd -- ${=words}; else _files; fi ;;
      esac
    }
    if [[ $funcstack[1] == _swiftboard ]]; then _swiftboard "$@"; else compdef _swiftboard swiftboard; fi

    """
  }

  // MARK: fish

  private var fish: String {
    func quoted(_ text: String) -> String {
      "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
    let valued = options.filter { !$0.isFlag }.flatMap { option in
      ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
    }
    var text = """
      # fish completion for swiftboard: save it as ~/.config/fish/completions/swiftboard.fish
      function __swiftboard_path
        set -l known \(nodes.dropFirst().map { quoted($0.key) }.joined(separator: " "))
        set -l valued \(valued.joined(separator: " "))
        set -l found
        set -l skip 0
        for word in (commandline -opc)[2..-1]
          if test $skip = 1
            set skip 0
          else if contains -- $word $valued
            set skip 1
          else if not string match -q -- '-*' $word
            set -l next (string join ' ' $found $word)
            contains -- $next $known; or break
            set found $found $word
          end
        end
        string join ' ' $found
      end
      function __swiftboard_at
        set -l at (__swiftboard_path)
        test "$at" = "$argv"
      end

      """
    func option(_ option: OptionSpec, _ condition: String) -> String {
      var line = "complete -c swiftboard -n \(quoted(condition)) -l \(option.name)"
      if let short = option.short { line += " -s \(short)" }
      if case .choice(let words) = option.kind {
        line += " -x -a \(quoted(words.joined(separator: " ")))"
      } else if isFile(option) {
        line += " -r -F"
      } else if !option.isFlag {
        line += " -x"
      }
      return line + " -d \(quoted(option.help))\n"
    }
    for node in nodes {
      let condition = "__swiftboard_at \(node.key)"
      if !node.words.isEmpty || !node.choices.isEmpty {
        text += "complete -c swiftboard -f -n \(quoted(condition))\n"
      }
      for (word, summary) in node.words + node.choices.map({ ($0, "") }) {
        text += "complete -c swiftboard -f -n \(quoted(condition)) -a \(word)"
        text += summary.isEmpty ? "\n" : " -d \(quoted(summary))\n"
      }
      for spec in node.path.isEmpty ? globals : node.options { text += option(spec, condition) }
    }
    return text
  }
}

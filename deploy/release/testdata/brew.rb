# Installs a formula as Homebrew does, for the commands that Quire's formula uses:
#
#   ruby brew.rb FORMULA PREFIX SYSTEM PROCESSOR
#
# It downloads from file: URLs, checks the sum, unpacks, installs below PREFIX and runs
# the test of the formula.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"
require "uri"

FORMULA, PREFIX, SYSTEM, PROCESSOR = ARGV[0], Pathname.new(ARGV[1]), ARGV[2], ARGV[3]

class Pathname
  def install(*names)
    mkpath
    names.flatten.each do |name|
      from, to = name.is_a?(Hash) ? name.first : [name, File.basename(name)]
      FileUtils.cp(from, self + to)
    end
  end
end

class Formula
  class << self
    attr_reader :found, :declared, :check

    %w[desc homepage version license].each do |field|
      define_method(field) { |text| (@declared ||= {})[field] = text }
    end
    def on_macos = (yield if SYSTEM == "macos")
    def on_linux = (yield if SYSTEM == "linux")
    def on_intel = (yield if PROCESSOR == "intel")
    def on_arm = (yield if PROCESSOR == "arm")
    def url(text) = ((@found ||= {})[:url] = text)
    def sha256(text) = (@found[:sum] = text)
    def service(&block) = Service.new.instance_eval(&block)
    def test(&block) = (@check = block)
  end

  def bin = PREFIX + "bin"
  def man1 = PREFIX + "share/man/man1"
  def bash_completion = PREFIX + "etc/bash_completion.d"
  def zsh_completion = PREFIX + "share/zsh/site-functions"
  def fish_completion = PREFIX + "share/fish/vendor_completions.d"
  def shell_output(line) = `#{line}`.tap { raise "#{line}: #{$?}" unless $?.success? }
  def assert_match(part, text) = (raise "#{text} lacks #{part}" unless text.include?(part))
end

# What starts the program at sign-in.
class Service
  def opt_bin = PREFIX + "bin"
  def var = PREFIX + "var"
  def etc = PREFIX + "etc"
  def run(words) = words
  def keep_alive(_) = nil
  def log_path(_) = nil
  def error_log_path(_) = nil
end

load FORMULA
found = Quire.found or raise "nothing for #{SYSTEM} on #{PROCESSOR}"
%w[desc homepage version license].each { |field| raise "no #{field}" unless Quire.declared[field] }
archive = URI(found[:url]).path
raise "the sum of #{archive} is another" unless Digest::SHA256.file(archive).hexdigest == found[:sum]
formula = Quire.new
Dir.mktmpdir do |folder|
  system("tar", "-xzf", archive, "-C", folder, "--strip-components=1", exception: true)
  Dir.chdir(folder) { formula.install }
end
formula.instance_eval(&Quire.check)
